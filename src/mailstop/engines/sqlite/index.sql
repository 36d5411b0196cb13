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

-- Budgets and limits. Of limits, NULL is what the person has not set.
CREATE TABLE budgets (
    bag TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    n INTEGER NOT NULL,
    allowed INTEGER NOT NULL,
    spent INTEGER NOT NULL,
    opened INTEGER NOT NULL,
    open INTEGER NOT NULL,
    PRIMARY KEY (bag, ordinal)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX budgets_open ON budgets (bag) WHERE open = 1;

CREATE TABLE limits (
    bag TEXT NOT NULL PRIMARY KEY,
    hops INTEGER,
    rate INTEGER,
    budgeted INTEGER,
    task_return_ms INTEGER
) STRICT, WITHOUT ROWID;

-- Questions. answer: the id of the letter that answers it, which is stored behind the entry that says so.
CREATE TABLE asks (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    bag TEXT NOT NULL,
    asker TEXT NOT NULL,
    asked TEXT NOT NULL,
    state TEXT NOT NULL,
    answer TEXT,
    ended INTEGER NOT NULL,
    ender TEXT NOT NULL
) STRICT;
CREATE INDEX asks_open ON asks (n) WHERE state = 'open';
CREATE INDEX asks_open_asked ON asks (bag, asked, n) WHERE state = 'open';

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

-- What seats stored about tasks that no letter tells of: the rate counts it as it counts letters.
CREATE TABLE untold (
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (bag, seat, n)
) STRICT, WITHOUT ROWID;

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

-- Tokens: all that were ever created; of each only the digest of its text.
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    n INTEGER NOT NULL,
    bag TEXT NOT NULL,
    seat TEXT NOT NULL,
    digest TEXT NOT NULL,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    revoked INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_counting ON tokens (expires) WHERE revoked = 0;
