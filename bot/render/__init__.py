"""Draws what people see: pure functions from values to Discord messages."""
