"""What mailstop knows about who calls it: processes and their lives, projects, clients and their sessions.

Everything here reads files and environments; nothing starts a process, and nothing here knows of letters or
seats.
"""
