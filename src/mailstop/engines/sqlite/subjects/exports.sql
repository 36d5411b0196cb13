-- newest_entry: the number of the newest entry
SELECT coalesce(max(n), 0) FROM entries;

-- counts: how many entries of each type there are up to a number; looks at all of them
SELECT type, count(*) FROM entries WHERE n <= :until AND (:bag IS NULL OR bag = :bag) AND at >= :since GROUP BY type;

-- page: the next entries behind a number; what is not wanted of them comes without its contents
SELECT n, id, at, bag, subject, type, CASE WHEN wanted THEN data END, CASE WHEN wanted THEN body END
FROM (
    SELECT *, type IN (SELECT value FROM json_each(:types)) AND (:bag IS NULL OR bag = :bag) AND at >= :since
        AND (type <> 'receipt' OR EXISTS (
            SELECT 1 FROM json_each(data, '$.letters') r JOIN letters l ON l.n = r.value WHERE l.channel IS NOT NULL))
        AS wanted
    FROM entries WHERE n > :after AND n <= :until ORDER BY n LIMIT :limit
) ORDER BY n;

-- receipts: what was proved of some letters by entries up to a number; uses the key of receipts
SELECT n, bag, seat, state, at, evidence, entry FROM receipts
WHERE n >= :first AND n <= :last AND entry <= :until ORDER BY n, entry, seat;

-- names: letters by their ids, with source and number of those that were imported; uses the unique index of entries
SELECT e.id, e.n, coalesce(json_extract(e.data, '$.source'), ''), coalesce(json_extract(e.data, '$.number'), '')
FROM json_each(:ids) i CROSS JOIN entries e ON e.id = i.value;

-- sources: from where letters were imported, as tokens of subjects; steps over them by entries_subject
WITH RECURSIVE found (subject) AS (
    SELECT min(subject) FROM entries WHERE subject >= 'imported.' AND subject < 'imported/'
    UNION ALL
    SELECT (SELECT min(subject) FROM entries WHERE subject < 'imported/' AND subject >=
            substr(found.subject, 1, 8 + instr(substr(found.subject, 10), '.')) || '/')
    FROM found WHERE found.subject IS NOT NULL
)
SELECT substr(subject, 10, instr(substr(subject, 10), '.') - 1) FROM found WHERE subject IS NOT NULL;

-- conversations: the first letters of conversations behind a number
SELECT n FROM letters WHERE n > :after AND n <= :until AND thread = n AND (:bag IS NULL OR bag = :bag)
ORDER BY n LIMIT :limit;

-- conversation: the letters of one behind a number, oldest first; uses letters_thread
SELECT e.n, e.id, e.at, e.bag, e.data, e.body, l.ref, l.thread
FROM (SELECT n, ref, thread FROM letters WHERE n = :thread
      UNION ALL SELECT n, ref, thread FROM letters WHERE thread = :thread AND ref IS NOT NULL) l
JOIN entries e USING (n)
WHERE l.n > :after AND l.n <= :until AND (:bag IS NULL OR e.bag = :bag) AND e.at >= :since ORDER BY l.n LIMIT :limit;
