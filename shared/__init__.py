"""The contract of the two programs, and nothing else."""
