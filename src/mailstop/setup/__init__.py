"""Setup: what is written into the configuration of clients, and taken out again. Nothing of it runs unless it is
asked."""
