"""Contracts: what an index answers about one subject, one subject a file; see `engines/base.py`."""
