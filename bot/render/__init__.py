"""What a person sees: pure functions from values to Discord messages."""
