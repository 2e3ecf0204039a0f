"""A turn of Claude as Discord messages."""
