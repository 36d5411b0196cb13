"""Benchmarks: ratios against the bare floor, measured in the same run, never timed tests. `make bench` runs all."""
