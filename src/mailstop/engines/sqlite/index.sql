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

-- Leases: what nobody has ended, and where each lies; a lease that only lapsed is still here.
CREATE TABLE leases (
    term INTEGER NOT NULL,
    item INTEGER NOT NULL,
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    session TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    client TEXT NOT NULL,
    shared INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    ttl INTEGER NOT NULL,
    kind TEXT NOT NULL,
    shown TEXT NOT NULL,
    project TEXT NOT NULL,
    project_id TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (term, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX leases_session ON leases (session, term, item);

CREATE TABLE lease_addresses (
    scope TEXT NOT NULL,
    literal TEXT NOT NULL,
    term INTEGER NOT NULL,
    item INTEGER NOT NULL,
    place INTEGER NOT NULL,
    pattern TEXT NOT NULL,
    folds INTEGER NOT NULL,
    PRIMARY KEY (scope, literal, term, item, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_addresses_lease ON lease_addresses (term, item, place);
