"""Subjects that came after letters, seats and receipts: for each its fold, its queries, and what an index asks."""
