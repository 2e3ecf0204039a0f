"""Messages that people write in Discord, their changes and their attachments."""
