-- last: the number of the last entry about leases; uses entries_subject
SELECT coalesce(max(n), 0) FROM entries WHERE subject = :subject;

-- near: leases on a place, above it and below it; uses the key of lease_addresses, twice
SELECT l.*, p.scope, p.literal, p.pattern, p.folds,
       l.session = :person OR EXISTS (SELECT 1 FROM seats s WHERE s.bag = l.bag AND s.name = l.seat
                                      AND s.session = l.session AND s.epoch = l.epoch)
FROM (SELECT term, item, scope, literal, pattern, folds FROM lease_addresses
      WHERE scope = :scope AND literal IN (SELECT value FROM json_each(:above))
      UNION ALL
      SELECT term, item, scope, literal, pattern, folds FROM lease_addresses
      WHERE scope = :scope AND literal >= :below AND literal < :past) p
JOIN leases l USING (term, item) ORDER BY l.term, l.item;

-- of_session: the leases of a session with all their addresses; uses leases_session
SELECT l.*, p.scope, p.literal, p.pattern, p.folds,
       l.session = :person OR EXISTS (SELECT 1 FROM seats s WHERE s.bag = l.bag AND s.name = l.seat
                                      AND s.session = l.session AND s.epoch = l.epoch)
FROM leases l JOIN lease_addresses p USING (term, item)
WHERE l.session = :session ORDER BY l.term, l.item, p.place;

-- all: the leases of all with their first address; uses the key of leases
SELECT l.*, p.scope, p.literal, p.pattern, p.folds,
       l.session = :person OR EXISTS (SELECT 1 FROM seats s WHERE s.bag = l.bag AND s.name = l.seat
                                      AND s.session = l.session AND s.epoch = l.epoch)
FROM leases l JOIN lease_addresses p USING (term, item)
WHERE p.place = 0 ORDER BY l.term, l.item;

-- take: a lease that was taken
INSERT INTO leases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- lay: an address of its resource
INSERT INTO lease_addresses VALUES (?, ?, ?, ?, ?, ?, ?);

-- renew: a lease that goes on, of whoever renews it
UPDATE leases SET until = :until, ttl = :ttl, note = coalesce(:note, note)
WHERE term = :term AND item = :item AND session = :session;

-- end: a lease is over
DELETE FROM leases WHERE term = :term AND item = :item;

-- clear: its addresses, with it
DELETE FROM lease_addresses WHERE term = :term AND item = :item;
