"""What people press in Discord, brought to the code that answers it."""
