-- Returns the time of a record's last change: the present one if it is being changed. Without CASE, in which Citus plans no stable function
-- of an update; this one becomes part of the statement.
create function touched_at(changes boolean, present timestamptz, before timestamptz) returns timestamptz
language sql immutable parallel safe as $$
  select (array[before, present])[1 + changes::integer]
$$;

-- Returns the names of changed fields, with `updated_at` if the time of the last change was another one before.
create function touched_fields(fields text[], before timestamptz, present timestamptz) returns text[]
language sql immutable parallel safe as $$
  select case when before <> present then array_append(fields, 'updated_at') else fields end
$$;
