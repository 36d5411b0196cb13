"""Checkup: what `doctor` looks at. Every part gives findings; only what is named for mending changes anything."""
