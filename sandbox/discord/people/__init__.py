"""The people in the sandbox's Discord: what they do, and what they see."""
