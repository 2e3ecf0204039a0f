"""What Claude asks for: what it means, what to warn of, and what an answer to it can be."""
