"""The engine on SQLite: one file, one transaction."""
