"""The lines of claude-mailbox, and the cases of users, that each subject of coordination shows."""
