"""The scripted Messages API: with it, the real `claude` runs without an account."""
