"""Permission requests: what a tool call means, what to warn about, and how it can be answered."""
