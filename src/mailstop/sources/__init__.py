"""Sources: what letters are imported from, one format a file. Each reads, and never writes."""
