-- letter: one letter by its number
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread
FROM letters l JOIN entries e USING (n) WHERE l.n = :n;

-- letter_with_id: one letter by its id; uses the unique index of entries
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread
FROM entries e JOIN letters l USING (n) WHERE e.id = :id;

-- newest: the number of the newest letter
SELECT coalesce(max(n), 0) FROM letters;

-- unread: the letters to a seat, and said in channels it reads, that it was not shown, oldest first; uses
-- deliveries_unread and letters_channel, and looks at no more of each channel than it gives
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread FROM (
    SELECT n FROM (
        SELECT d.n FROM deliveries d INDEXED BY deliveries_unread JOIN letters l USING (n)
        WHERE d.bag = :bag AND d.seat = :seat AND d.shown = 0 AND d.n > :after
        AND (:sender IS NULL OR l.sender = :sender) AND (NOT :waking OR l.wakes <> 'nobody')
        ORDER BY d.n LIMIT :limit)
    UNION ALL
    SELECT s.n FROM readers r CROSS JOIN letters s ON s.n IN (
        SELECT l.n FROM letters l INDEXED BY letters_channel
        WHERE l.bag = r.bag AND l.channel = r.channel AND l.n > max(r.position, :after) AND l.sender <> r.seat
        AND (:sender IS NULL OR l.sender = :sender)
        AND (NOT :waking OR l.wakes = 'all' OR l.wakes = (
            SELECT t.project_id FROM seats t WHERE t.bag = r.bag AND t.name = r.seat AND t.project_id <> ''))
        AND NOT EXISTS (
            SELECT 1 FROM heard h WHERE h.bag = r.bag AND h.seat = r.seat AND h.channel = r.channel AND h.n = l.n)
        ORDER BY l.n LIMIT :limit)
    WHERE r.bag = :bag AND r.seat = :seat
) u JOIN letters l USING (n) JOIN entries e USING (n) ORDER BY u.n LIMIT :limit;

-- count_unread: how many letters up to a number a seat was not shown, with those said in channels or without; uses
-- deliveries_unread and letters_channel
SELECT (SELECT count(*) FROM deliveries INDEXED BY deliveries_unread
        WHERE bag = :bag AND seat = :seat AND shown = 0 AND n <= :until)
     + (SELECT count(*) FROM readers r CROSS JOIN letters l INDEXED BY letters_channel
        ON l.bag = r.bag AND l.channel = r.channel AND l.n > r.position AND l.n <= :until AND l.sender <> r.seat
        WHERE :said AND r.bag = :bag AND r.seat = :seat AND NOT EXISTS (
            SELECT 1 FROM heard h WHERE h.bag = r.bag AND h.seat = r.seat AND h.channel = r.channel AND h.n = l.n));

-- unread_counts: how many letters each seat was not shown; uses deliveries_unread
SELECT bag, seat, count(*) FROM deliveries INDEXED BY deliveries_unread WHERE shown = 0 GROUP BY bag, seat;

-- owed: letters shown to a seat that ask for a reply and have none from it, oldest first
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread
FROM owed o JOIN deliveries d USING (bag, seat, n) JOIN letters l USING (n) JOIN entries e USING (n)
WHERE o.bag = :bag AND o.seat = :seat AND d.shown = 1 ORDER BY o.n LIMIT :limit;

-- asked: the questions without an answer that were asked of a seat, the oldest first; uses asks_open_asked
SELECT a.n FROM asks a INDEXED BY asks_open_asked JOIN deliveries d ON d.bag = a.bag AND d.seat = a.asked AND d.n = a.n
WHERE a.bag = :bag AND a.asked = :seat AND a.state = 'open' AND d.shown >= :shown ORDER BY a.n;

-- sent: the letters a seat wrote, newest first; uses letters_sender
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread
FROM letters l JOIN entries e USING (n) WHERE l.bag = :bag AND l.sender = :seat ORDER BY l.n DESC LIMIT :limit;

-- deliveries: where a letter stands at each of its recipients
SELECT n, bag, seat, state, shown, answered FROM deliveries
WHERE bag = :bag AND seat IN (SELECT value FROM json_each(:seats)) AND n = :n;

-- receipts: all that was proved of a letter, oldest first
SELECT n, bag, seat, state, at, evidence, entry FROM receipts WHERE n = :n ORDER BY entry, seat;

-- seat: one seat
SELECT * FROM seats WHERE bag = :bag AND name = :name;

-- seats: all seats of a bag, or of all bags
SELECT * FROM seats WHERE :bag IS NULL OR bag = :bag ORDER BY bag, name;

-- seats_of: the seats a session holds; uses seats_session
SELECT * FROM seats WHERE session = :session ORDER BY bag;

-- held_by: the seats that sessions of a client hold; uses seats_session
SELECT * FROM seats WHERE session IS NOT NULL AND client = :client ORDER BY bag, name;

-- stay_ended: what came next at the seat of a bag that a session took last: its leaving, or another's taking
SELECT e.n, e.at, m.bag, m.seat, m.act, e.data
FROM (SELECT m.n, m.seat FROM moves m JOIN entries e USING (n)
      WHERE m.bag = :bag AND m.act = 'taken' AND json_extract(e.data, '$.session') = :session
      ORDER BY m.n DESC LIMIT 1) last
JOIN moves m ON m.bag = :bag AND m.seat = last.seat AND m.n > last.n JOIN entries e ON e.n = m.n
ORDER BY m.n LIMIT 1;

-- was_led: whether anybody has ever led a project in a bag
SELECT EXISTS (SELECT 1 FROM leaders WHERE bag = :bag AND project_id = :project_id);

-- leads: whether a session leads anything, as far as the ledger tells; uses leaders_session
SELECT EXISTS (SELECT 1 FROM leaders WHERE session = :session AND session <> '');

-- bags: every bag that was joined or written in
SELECT DISTINCT bag FROM seats ORDER BY bag;

-- count: how many letters a bag holds; uses letters_sender
SELECT count(*) FROM letters WHERE bag = :bag;

-- history_letters: the letters of a bag before a number, newest first, those that were imported (from nobody here) among
-- them; uses entries_subject and letters_sender
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread FROM (
    SELECT n FROM (SELECT n FROM entries WHERE subject = :subject AND n < :before ORDER BY n DESC LIMIT :limit)
    UNION ALL
    SELECT n FROM (SELECT n FROM letters WHERE bag = :bag AND sender = '' AND n < :before ORDER BY n DESC LIMIT :limit)
) JOIN letters l USING (n) JOIN entries e USING (n) ORDER BY n DESC LIMIT :limit;

-- history_channel: what was said in a channel before a number, newest first, and what was imported as said in one of its
-- name; uses letters_channel
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread FROM (
    SELECT n FROM (SELECT n FROM letters INDEXED BY letters_channel
        WHERE bag = :bag AND channel = :channel AND n < :before ORDER BY n DESC LIMIT :limit)
    UNION ALL
    SELECT n FROM (SELECT n FROM letters INDEXED BY letters_channel
        WHERE bag = :bag AND channel = :imported AND n < :before ORDER BY n DESC LIMIT :limit)
) JOIN letters l USING (n) JOIN entries e USING (n) ORDER BY n DESC LIMIT :limit;

-- history_everywhere: the letters of all bags before a number, newest first
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread
FROM letters l JOIN entries e USING (n) WHERE l.n < :before ORDER BY l.n DESC LIMIT :limit;

-- history_thread: a conversation before a number, newest first; uses letters_thread
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread
FROM (SELECT n, ref, thread FROM letters WHERE n = :thread
      UNION ALL SELECT n, ref, thread FROM letters WHERE thread = :thread AND ref IS NOT NULL) l
JOIN entries e USING (n) WHERE l.n < :before ORDER BY l.n DESC LIMIT :limit;

-- history_moves: seats taken and left in a bag, or in all, between two numbers, newest first
SELECT e.n, e.at, m.bag, m.seat, m.act, e.data FROM moves m JOIN entries e USING (n)
WHERE m.n > :after AND m.n < :before AND (:bag IS NULL OR m.bag = :bag) ORDER BY m.n DESC LIMIT :limit;

-- standing: what a seat that writes in a bag has to respect; uses budgets_open, entries_subject, letters_sender, and the key of untold
SELECT l.hops, l.rate, l.budgeted, l.task_return_ms, b.bag, b.ordinal, b.n, b.allowed, b.spent, b.opened,
    (SELECT max(n) FROM entries WHERE subject = :budgets),
    CASE WHEN b.n THEN (SELECT max(n) FROM entries WHERE subject = :letters) END,
    (SELECT at FROM entries WHERE n = (
        SELECT n FROM letters WHERE bag = :bag AND sender = :sender
        UNION ALL SELECT n FROM untold WHERE bag = :bag AND seat = :sender ORDER BY n DESC
        LIMIT 1 OFFSET coalesce((SELECT rate FROM limits WHERE bag = :bag), :rate) - 1))
FROM (SELECT 1) LEFT JOIN limits l ON l.bag = :bag LEFT JOIN budgets b ON b.bag = :bag AND b.open = 1;

-- board_row: one row of the board that has not expired
SELECT key, value, revision, due, expires FROM board WHERE key = :key AND (expires IS NULL OR expires > :now);

-- board_put: set a row; its revision is raised also where the clock was set back
INSERT INTO board VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
SET value = excluded.value, revision = max(excluded.revision, revision + 1), due = excluded.due, expires = excluded.expires;

-- board_under: the rows whose key lies between two bounds; a negative limit is none
SELECT key, value, revision, due, expires FROM board
WHERE key >= :first AND key > :after AND key < :past AND (expires IS NULL OR expires > :now) ORDER BY key LIMIT :limit;

-- board_expired: the keys between two bounds whose rows have expired
SELECT key FROM board WHERE key >= :first AND key < :past AND expires <= :now LIMIT :limit;

-- board_due: the rows that fell due, or are due too far ahead, the longest due first; uses board_due
SELECT key, value, revision, due, expires FROM board
WHERE due IS NOT NULL AND (due <= :now OR due > :beyond) ORDER BY due LIMIT :limit;

-- board_next_due: when the next row falls due; uses board_due
SELECT min(due) FROM board WHERE due IS NOT NULL;
