-- token: one token by its id
SELECT id, n, bag, seat, digest, created, expires, revoked FROM tokens WHERE id = :id;

-- all: all tokens, the oldest first; of a bag also those that count in each
SELECT id, n, bag, seat, digest, created, expires, revoked FROM tokens
WHERE :bag IS NULL OR bag IN (:bag, '') ORDER BY created, id;

-- was_any_created: one row where there ever was a token
SELECT 1 FROM tokens LIMIT 1;

-- counts_any: one row where a token neither was revoked nor has expired; uses tokens_counting
SELECT 1 FROM tokens WHERE revoked = 0 AND (expires = 0 OR expires > :now) LIMIT 1;

-- create: a token was created
INSERT OR IGNORE INTO tokens VALUES (:id, :n, :bag, :seat, :digest, :created, :expires, 0);

-- revoke: a token was revoked; the first time counts
UPDATE tokens SET n = :n, revoked = CASE revoked WHEN 0 THEN :at ELSE revoked END WHERE id = :id;
