-- The index has tables for what sessions do together, and is folded anew; a program of format 1 would leave them behind.
UPDATE format SET oldest_writer = 2;
