"""Doors: each vendor's own way to wake a session. One kind of door, one file; none types into a terminal."""
