"""Permission requests: what a tool call does, its warnings, and the possible answers."""
