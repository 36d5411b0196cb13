-- caught_up: whether a reader has heard all that others said before a number
SELECT NOT EXISTS (
    SELECT 1 FROM letters l INDEXED BY letters_channel
    WHERE l.bag = r.bag AND l.channel = r.channel AND l.n > r.position AND l.n < :n AND l.sender <> r.seat)
FROM readers r WHERE r.bag = :bag AND r.seat = :seat AND r.channel = :channel AND r.position < :n;

-- behind: the channel of a letter, where the seat reads it and its position lies before that letter
SELECT r.channel, r.position FROM letters l JOIN readers r ON r.bag = l.bag AND r.channel = l.channel
WHERE l.n = :n AND r.bag = :bag AND r.seat = :seat AND r.position < :n;

-- first_unheard: the first letter behind a position that a seat has not heard; uses letters_channel
SELECT l.n FROM letters l INDEXED BY letters_channel
WHERE l.bag = :bag AND l.channel = :channel AND l.n > :position AND l.sender <> :seat
AND NOT EXISTS (SELECT 1 FROM heard h WHERE h.bag = :bag AND h.seat = :seat AND h.channel = :channel AND h.n = l.n)
ORDER BY l.n LIMIT 1;

-- last_before: the last letter of a channel before a number; uses letters_channel
SELECT max(n) FROM letters INDEXED BY letters_channel WHERE bag = :bag AND channel = :channel AND n < :n;

-- unread_by: how many letters a seat has not heard, by channel; uses letters_channel
SELECT r.channel, count(*) FROM readers r CROSS JOIN letters l INDEXED BY letters_channel
ON l.bag = r.bag AND l.channel = r.channel AND l.n > r.position AND l.sender <> r.seat
WHERE r.bag = :bag AND r.seat = :seat AND NOT EXISTS (
    SELECT 1 FROM heard h WHERE h.bag = r.bag AND h.seat = r.seat AND h.channel = r.channel AND h.n = l.n)
GROUP BY r.channel;

-- exists: whether a channel has a reader or a letter
SELECT EXISTS (SELECT 1 FROM readers WHERE bag = :bag AND channel = :channel)
OR EXISTS (SELECT 1 FROM letters INDEXED BY letters_channel WHERE bag = :bag AND channel = :channel);

-- all: the channels that have a reader or a letter, with how many read each and its last letter; steps over the letters.
-- What was imported lies in channels before '0', which are none of this store
WITH RECURSIVE spoken (channel) AS (
    SELECT min(channel) FROM letters INDEXED BY letters_channel WHERE bag = :bag AND channel >= '0'
    UNION ALL
    SELECT (SELECT min(l.channel) FROM letters l INDEXED BY letters_channel
            WHERE l.bag = :bag AND l.channel > spoken.channel)
    FROM spoken WHERE spoken.channel IS NOT NULL),
known (channel) AS (
    SELECT channel FROM spoken WHERE channel IS NOT NULL UNION SELECT channel FROM readers WHERE bag = :bag)
SELECT k.channel,
       (SELECT count(*) FROM readers r WHERE r.bag = :bag AND r.channel = k.channel),
       (SELECT coalesce(max(l.n), 0) FROM letters l INDEXED BY letters_channel
        WHERE l.bag = :bag AND l.channel = k.channel)
FROM known k ORDER BY k.channel;

-- of_project: the channel of a project
SELECT channel FROM projects WHERE bag = :bag AND project_id = :project_id;

-- readers: who reads a channel; uses readers_channel
SELECT bag, seat, channel, since, position FROM readers WHERE bag = :bag AND channel = :channel ORDER BY seat;

-- read_by: what a seat reads
SELECT bag, seat, channel, since, position FROM readers WHERE bag = :bag AND seat = :seat ORDER BY channel;

-- heard: the letters of a channel that a seat has heard ahead of its position
SELECT n FROM heard WHERE bag = :bag AND seat = :seat AND channel = :channel ORDER BY n;
