"""Prepares text for Discord: splits, escapes and shortens it, and makes hidden characters visible."""
