-- The ledger: append only. A row is never changed or deleted, so that n, the rowid, only grows.
CREATE TABLE entries (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    bag TEXT NOT NULL,
    subject TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    body TEXT
) STRICT;
CREATE INDEX entries_subject ON entries (subject, n);

-- The board: facts that change and may be forgotten.
CREATE TABLE board (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    revision INTEGER NOT NULL,
    due INTEGER,
    expires INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX board_due ON board (due) WHERE due IS NOT NULL;

-- What holds for the file as a whole: the oldest format that may still write it.
CREATE TABLE format (
    oldest_writer INTEGER NOT NULL
) STRICT;
INSERT INTO format VALUES (1);
