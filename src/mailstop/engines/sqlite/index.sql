-- The index: a pure fold of the ledger. `doctor --rebuild` drops these tables, runs this file and folds again.
CREATE TABLE letters (
    n INTEGER PRIMARY KEY,
    bag TEXT NOT NULL,
    sender TEXT NOT NULL,
    needs_reply INTEGER NOT NULL,
    ref INTEGER,
    thread INTEGER NOT NULL,
    channel TEXT,
    wakes TEXT NOT NULL
) STRICT;
CREATE INDEX letters_sender ON letters (bag, sender, n);
CREATE INDEX letters_channel ON letters (bag, channel, n, sender) WHERE channel IS NOT NULL;
CREATE INDEX letters_thread ON letters (thread, n) WHERE ref IS NOT NULL;

CREATE TABLE deliveries (
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    n INTEGER NOT NULL,
    state TEXT NOT NULL,
    shown INTEGER NOT NULL,
    answered INTEGER,
    PRIMARY KEY (bag, seat, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_unread ON deliveries (bag, seat, n) WHERE shown = 0;

CREATE TABLE owed (
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (bag, seat, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipts (
    n INTEGER NOT NULL,
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    entry INTEGER NOT NULL,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    evidence TEXT NOT NULL,
    PRIMARY KEY (n, entry, bag, seat)
) STRICT, WITHOUT ROWID;

CREATE TABLE seats (
    bag TEXT NOT NULL,
    name TEXT NOT NULL,
    last INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    session TEXT,
    since INTEGER NOT NULL,
    automatic INTEGER NOT NULL,
    client TEXT NOT NULL,
    project TEXT NOT NULL,
    project_id TEXT NOT NULL,
    folder TEXT NOT NULL,
    holder TEXT NOT NULL,
    announced INTEGER NOT NULL,
    PRIMARY KEY (bag, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX seats_session ON seats (session) WHERE session IS NOT NULL;

CREATE TABLE moves (
    n INTEGER PRIMARY KEY,
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    act TEXT NOT NULL
) STRICT;

-- Channels. A letter that was said in one has no deliveries: what a seat has heard of a channel is its position there,
-- and, while something before it is unheard, the letters behind the position in `heard`.
CREATE TABLE readers (
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    channel TEXT NOT NULL,
    since INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (bag, seat, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX readers_channel ON readers (bag, channel, seat);

CREATE TABLE heard (
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    channel TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (bag, seat, channel, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
    bag TEXT NOT NULL,
    project_id TEXT NOT NULL,
    channel TEXT NOT NULL,
    PRIMARY KEY (bag, project_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX projects_channel ON projects (bag, channel);

-- Leaders: the last of each project; seat and session are empty where a term was ended.
CREATE TABLE leaders (
    bag TEXT NOT NULL,
    project_id TEXT NOT NULL,
    project TEXT NOT NULL,
    last INTEGER NOT NULL,
    term INTEGER NOT NULL,
    seat TEXT NOT NULL,
    session TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    since INTEGER NOT NULL,
    forced INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (bag, project_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX leaders_session ON leaders (session) WHERE session <> '';
