"""The parts of the scripted agent, which `sandbox.scripted_claude` puts together."""
