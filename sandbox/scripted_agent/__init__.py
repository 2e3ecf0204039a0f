"""What the scripted agent is made of; `sandbox.scripted_claude` puts it together."""
