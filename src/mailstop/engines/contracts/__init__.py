"""What an index can tell about one subject, one subject a file: contracts for the type checker, as in
`engines/base.py`."""
