"""Exports: what was written, as files: to read, to share, and to bring into another store (docs/exporting.md)."""
