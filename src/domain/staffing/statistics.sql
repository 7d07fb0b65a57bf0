-- How many places are filled, of how many; an aborted event's are all open.
create function places_filled(event_status integer, holding integer, quantity integer) returns text
language sql immutable parallel safe
return ((case when event_aborted(event_status) then 0 else holding end) || '/' || quantity);
