-- begin: a term begins, in the epoch that the seat has now
INSERT OR REPLACE INTO leaders
SELECT :bag, :project_id, :project, :n, :n, :seat, :session,
       coalesce((SELECT epoch FROM seats WHERE bag = :bag AND name = :seat AND session = :session), 0),
       :at, :forced, '';

-- of: who leads a project in a bag, or led it last
SELECT * FROM leaders WHERE bag = :bag AND project_id = :project_id;

-- of_session: what a session leads; uses leaders_session
SELECT * FROM leaders WHERE session = :session AND session <> '' ORDER BY bag, project, project_id;

-- all: of a bag, or of all
SELECT * FROM leaders WHERE :bag IS NULL OR bag = :bag ORDER BY bag, project, project_id;
