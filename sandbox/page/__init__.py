"""The sandbox's page: a chat in the browser, for somebody who has no account."""
