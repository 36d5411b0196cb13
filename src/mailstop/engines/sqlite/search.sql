-- tables: full text of letters beside the index, made by the first search; no body is stored twice
CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5(body, content = '', tokenize = 'unicode61');
CREATE TABLE IF NOT EXISTS search_cursor (folded INTEGER NOT NULL) STRICT;
INSERT INTO search_cursor SELECT 0 WHERE NOT EXISTS (SELECT * FROM search_cursor);

-- ready: whether the tables are there
SELECT count(*) FROM sqlite_schema WHERE name = 'search_cursor';

-- cursor: the number of the last letter that the full text holds
SELECT folded FROM search_cursor;

-- unfolded: letters behind the cursor, each with the beginning of its body, which is what can be searched
SELECT l.n, substr(e.body, 1, :characters) FROM letters l JOIN entries e USING (n)
WHERE l.n > :after AND l.n <= :until ORDER BY l.n LIMIT :limit;

-- add: one letter to the full text
INSERT INTO search (rowid, body) VALUES (?, ?);

-- advance: the cursor to a letter
UPDATE search_cursor SET folded = ?;

-- found: the numbers of letters that match, newest first
SELECT l.n FROM search s JOIN letters l ON l.n = s.rowid
WHERE s.search MATCH :terms AND s.rowid < :before AND (:bag IS NULL OR l.bag = :bag)
ORDER BY s.rowid DESC LIMIT :limit;
