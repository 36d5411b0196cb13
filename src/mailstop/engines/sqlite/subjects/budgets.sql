-- limits: what the person has set for a bag
SELECT hops, rate, budgeted, task_return_ms FROM limits WHERE bag = :bag;

-- set_limits: set some; what is NULL stays as it was
INSERT INTO limits VALUES (:bag, :hops, :rate, :budgeted, :task_return_ms) ON CONFLICT (bag) DO UPDATE
SET hops = coalesce(excluded.hops, hops), rate = coalesce(excluded.rate, rate),
    budgeted = coalesce(excluded.budgeted, budgeted), task_return_ms = coalesce(excluded.task_return_ms, task_return_ms);

-- open: the open budget of a bag; uses budgets_open
SELECT bag, ordinal, n, allowed, spent, opened, open FROM budgets WHERE bag = :bag AND open = 1;

-- last: the budget that was opened last in a bag
SELECT bag, ordinal, n, allowed, spent, opened, open FROM budgets WHERE bag = :bag ORDER BY ordinal DESC LIMIT 1;

-- open_next: open the next budget of a bag
INSERT INTO budgets SELECT :bag, coalesce(max(ordinal), 0) + 1, :n, :allowed, 0, :opened, 1 FROM budgets WHERE bag = :bag;

-- close: close what is open in a bag; uses budgets_open
UPDATE budgets SET open = 0 WHERE bag = :bag AND open = 1;

-- spend: count a letter
UPDATE budgets SET spent = spent + 1 WHERE bag = :bag AND ordinal = :ordinal;
