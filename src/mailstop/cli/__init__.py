"""The command line: one file a verb. It translates and decides nothing."""
