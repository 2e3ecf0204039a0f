"""A scripted program in place of `claude`: it plays a script and really runs the tools that a person allows."""
