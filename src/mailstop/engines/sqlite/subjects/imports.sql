-- known: which of these ids there are; uses the unique index of entries
SELECT e.id, e.bag FROM json_each(:ids) i CROSS JOIN entries e ON e.id = i.value;

-- numbered: the letters that a source called so, in whatever bag; uses entries_subject
SELECT e.n, e.bag FROM entries e JOIN letters l USING (n)
WHERE e.subject >= :first AND e.subject < :past ORDER BY e.n;

-- numbered_in: the letters of one bag that a source called so; uses entries_subject
SELECT e.n, e.bag FROM entries e JOIN letters l USING (n) WHERE e.subject = :subject ORDER BY e.n;

-- id_of: the id of the last of those; uses entries_subject
SELECT id FROM entries WHERE subject = :subject ORDER BY n DESC LIMIT 1;

-- batch_of: the batch that an imported letter came with, which begins with an entry of its own; uses entries_subject
SELECT n, at, bag, data FROM entries WHERE subject = :subject AND n < :n ORDER BY n DESC LIMIT 1;

-- newest: what was imported into a bag last; uses letters_sender
SELECT max(n) FROM letters WHERE bag = :bag AND sender = '';
