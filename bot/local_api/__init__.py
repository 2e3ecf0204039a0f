"""The HTTP endpoint on loopback for Claude's requests and for the owner's commands from the terminal.

It imports nothing here: a command in the terminal needs the client, and not all that the routes stand on.
"""
