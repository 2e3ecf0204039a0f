"""Scripts for a scripted Claude, including the tour."""
