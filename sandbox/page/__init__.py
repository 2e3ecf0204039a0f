"""The sandbox's page: Discord in the browser, without an account."""
