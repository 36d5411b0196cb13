-- The index has tables for tokens, and for what the rate counts beside letters, and is folded anew.
UPDATE format SET oldest_writer = 3;
