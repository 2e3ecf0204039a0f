"""Everything that exists in the sandbox's Discord, and how it changes."""
