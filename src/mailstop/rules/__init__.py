"""Rules: one subject a file, guards first."""
