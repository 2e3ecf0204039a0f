"""The version of the CLI that the scripted agent imitates."""

VERSION = "2.1.326"
