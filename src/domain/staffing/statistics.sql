-- How many places are filled, of how many; an aborted event's are all open. With casts, since || of a number and a text is not immutable,
-- and Postgres would then call the function for each row that a listing sorts by it instead of inlining it.
create function places_filled(event_status integer, holding integer, quantity integer) returns text
language sql immutable parallel safe
return ((case when event_aborted(event_status) then 0 else holding end)::text || '/' || quantity::text);
