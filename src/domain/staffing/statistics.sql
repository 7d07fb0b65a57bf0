-- How many places are filled, of how many, as the table has it; an aborted event's are all open. With a cast, since || of a number and a
-- text is not immutable, and Postgres would then call the function for each row that a listing sorts by it instead of inlining it.
create function places_filled(event_status integer, filled text, quantity integer) returns text
language sql immutable parallel safe
return case when event_aborted(event_status) then '0/' || quantity::text else filled end;
