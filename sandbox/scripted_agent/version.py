"""The CLI that the scripted agent plays."""

VERSION = "2.1.326"
