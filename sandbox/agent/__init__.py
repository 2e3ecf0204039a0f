"""What the scripted agent is made of; `sandbox.claude` puts it together."""
