-- opened: a letter asks
INSERT INTO asks VALUES (:n, :id, :bag, :asker, :asked, 'open', NULL, 0, '');

-- ended: an open question got its answer, or was canceled; uses the unique index of ids
UPDATE asks SET state = :state, answer = :answer, ended = :at, ender = :by WHERE id = :id AND state = 'open';

-- forgiven: a question that was canceled is owed no reply any more
DELETE FROM owed WHERE bag = :bag AND n IN (SELECT n FROM asks WHERE id = :id) AND seat IN (SELECT asked FROM asks WHERE id = :id);

-- ask: one question
SELECT a.n, a.id, a.bag, a.asker, a.asked, a.state, e.at, (SELECT n FROM entries WHERE id = a.answer), a.ended, a.ender
FROM asks a JOIN entries e USING (n) WHERE a.n = :n;

-- open: questions without an answer, the oldest first; uses asks_open
SELECT a.n, a.id, a.bag, a.asker, a.asked, a.state, e.at, NULL, a.ended, a.ender
FROM asks a INDEXED BY asks_open JOIN entries e USING (n)
WHERE a.state = 'open' AND (:bag IS NULL OR a.bag = :bag) AND (:asker IS NULL OR a.asker = :asker)
    AND (:asked IS NULL OR a.asked = :asked)
ORDER BY a.n LIMIT :limit;

-- count_open: how many questions have no answer; uses asks_open
SELECT count(*) FROM asks a INDEXED BY asks_open
WHERE a.state = 'open' AND (:bag IS NULL OR a.bag = :bag) AND (:asker IS NULL OR a.asker = :asker)
    AND (:asked IS NULL OR a.asked = :asked);
