"""Checkup: what `doctor` looks at. Each part gives findings; only what is called `mend` or `rebuild` changes anything."""
