"""A scripted Messages API, with which the real `claude` runs without an account."""
