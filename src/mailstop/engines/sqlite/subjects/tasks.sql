-- task: one task by its number
SELECT t.*, e.id, e.at, e.data, e.body FROM tasks t JOIN entries e USING (n) WHERE t.n = :n;

-- with_id: one task by its id
SELECT t.*, e.id, e.at, e.data, e.body FROM tasks t JOIN entries e USING (n) WHERE t.bag = :bag AND t.id = :id;

-- number: the number of a task by its id
SELECT n FROM tasks WHERE bag = :bag AND id = :id;

-- before: the number of the task before a number
SELECT max(n) FROM tasks WHERE n < :n;

-- behind: the number of the task behind a number
SELECT min(n) FROM tasks WHERE n > :n;

-- listed: the tasks of a bag by place; uses tasks_place
SELECT t.*, e.id, e.at, e.data, NULL FROM tasks t INDEXED BY tasks_place JOIN entries e USING (n)
WHERE t.bag = :bag AND t.place < :until ORDER BY t.place LIMIT :limit;

-- held: the tasks of a holder by place; uses tasks_holder
SELECT t.*, e.id, e.at, e.data, NULL FROM tasks t INDEXED BY tasks_holder JOIN entries e USING (n)
WHERE t.bag = :bag AND t.holder = :seat AND t.place < :until ORDER BY t.place LIMIT :limit;

-- given: the tasks that a seat gave by place; uses tasks_giver
SELECT t.*, e.id, e.at, e.data, NULL FROM tasks t INDEXED BY tasks_giver JOIN entries e USING (n)
WHERE t.bag = :bag AND t.giver = :seat AND t.place < :until ORDER BY t.place LIMIT :limit;

-- pool: the tasks of a project's pool by place; uses tasks_pool
SELECT t.*, e.id, e.at, e.data, NULL FROM tasks t INDEXED BY tasks_pool JOIN entries e USING (n)
WHERE t.bag = :bag AND t.home = :home AND t.pooled ORDER BY t.place LIMIT :limit;

-- pools: the tasks of all pools of a bag by place; uses tasks_pools
SELECT t.*, e.id, e.at, e.data, NULL FROM tasks t INDEXED BY tasks_pools JOIN entries e USING (n)
WHERE t.bag = :bag AND t.pooled ORDER BY t.place LIMIT :limit;

-- holders: the seats that open tasks of a bag lie with, by hopping from one to the next; uses tasks_holder_open
WITH RECURSIVE hop (holder) AS (
    SELECT min(holder) FROM tasks INDEXED BY tasks_holder_open WHERE bag = :bag AND holder > '' AND is_open
    UNION ALL
    SELECT (SELECT min(holder) FROM tasks INDEXED BY tasks_holder_open
            WHERE bag = :bag AND holder > hop.holder AND is_open)
    FROM hop WHERE hop.holder IS NOT NULL
)
SELECT holder FROM hop WHERE holder IS NOT NULL;

-- unnoticed: the open tasks of a seat, but its own, of which nobody was told that it is empty; uses tasks_holder_open
SELECT t.*, e.id, e.at, e.data, NULL FROM tasks t INDEXED BY tasks_holder_open JOIN entries e USING (n)
WHERE t.bag = :bag AND t.holder = :seat AND t.is_open AND t.empty_since = 0 AND (t.home <> '' OR t.giver <> t.holder)
ORDER BY t.n LIMIT :limit;

-- noticed: the open tasks of a seat of which somebody was told that it is empty; uses tasks_noticed
SELECT t.*, e.id, e.at, e.data, NULL FROM tasks t INDEXED BY tasks_noticed JOIN entries e USING (n)
WHERE t.bag = :bag AND t.holder = :seat AND t.is_open AND t.empty_since > 0 ORDER BY t.empty_since, t.n LIMIT :limit;

-- steps: the entries on a task's subject before a number, newest first; uses entries_subject
SELECT e.n, e.at, e.data, e.body, l.n FROM entries e
LEFT JOIN entries l ON l.id = json_extract(e.data, '$.told') WHERE e.subject = :subject AND e.n < :before
ORDER BY e.n DESC LIMIT :limit;

-- forgiven: a task's letters so far are owed no reply any more, by a seat that lost it or by any; uses entries_subject
DELETE FROM owed WHERE (bag, seat, n) IN (
    SELECT l.bag, reader.value, l.n
    FROM entries e JOIN entries l ON l.id = json_extract(e.data, '$.told') JOIN json_each(l.data, '$.to') reader
    WHERE e.subject = :subject AND e.n < :n AND :seat IN (reader.value, ''));
