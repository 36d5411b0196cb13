-- The index: a pure fold of the ledger. `doctor --rebuild` drops these tables, runs this file and folds again.
CREATE TABLE letters (
    n INTEGER PRIMARY KEY,
    bag TEXT NOT NULL,
    sender TEXT NOT NULL,
    needs_reply INTEGER NOT NULL,
    ref INTEGER,
    thread INTEGER NOT NULL
) STRICT;
CREATE INDEX letters_sender ON letters (bag, sender, n);
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

-- Tasks. place orders them for lists: while open by priority and age, afterwards behind all those, the newest first.
CREATE TABLE tasks (
    n INTEGER PRIMARY KEY,
    bag TEXT NOT NULL,
    id TEXT NOT NULL,
    giver TEXT NOT NULL,
    priority INTEGER NOT NULL,
    letter TEXT NOT NULL,
    holder TEXT NOT NULL,
    home TEXT NOT NULL,
    state TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    assigned INTEGER NOT NULL,
    since INTEGER NOT NULL,
    mover TEXT NOT NULL,
    empty_since INTEGER NOT NULL,
    last INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    pooled INTEGER NOT NULL,
    place INTEGER NOT NULL,
    UNIQUE (bag, id)
) STRICT;
CREATE INDEX tasks_place ON tasks (bag, place);
CREATE INDEX tasks_holder ON tasks (bag, holder, place);
CREATE INDEX tasks_giver ON tasks (bag, giver, place);
CREATE INDEX tasks_pool ON tasks (bag, home, place) WHERE pooled;
CREATE INDEX tasks_pools ON tasks (bag, place) WHERE pooled;
CREATE INDEX tasks_holder_open ON tasks (bag, holder, n) WHERE is_open;
CREATE INDEX tasks_noticed ON tasks (bag, holder, empty_since, n) WHERE is_open AND empty_since > 0;
