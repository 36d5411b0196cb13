"""Hooks: what clients call at the events of a session. They translate and decide nothing, and never fail a client."""
