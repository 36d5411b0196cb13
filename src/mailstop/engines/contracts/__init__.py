"""Contracts of what an index can be asked about one further subject, one subject a file; for the type checker only."""
