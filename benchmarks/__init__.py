"""Benchmarks, each compared with what the same work costs without our code."""
