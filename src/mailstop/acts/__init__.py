"""Acts: what callers may ask of the office about one subject, one subject a file.

`office.budgets`, `office.tasks` and so on; a subject is loaded when it is first asked for.
"""
