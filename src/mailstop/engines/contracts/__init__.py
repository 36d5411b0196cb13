"""Contracts of what an index answers about subjects that came after letters, seats and receipts."""
