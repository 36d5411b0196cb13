"""Contracts: what an index is asked about one further subject, one subject a file. For the type checker only."""
