-- The open actions of the assignments with the given ids.
select g.id, g.value from assignments_open_actions($1::bigint, $2::bigint[]) as g
