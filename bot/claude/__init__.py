"""The claude adapter: its process, its journal, its environment."""
