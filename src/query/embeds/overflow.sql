-- Fails: what a request embeds under a name is more than is allowed. The name is the detail of the error, since of the worker that finds it a
-- coordinator passes on texts only. Stable, so that a condition with it is evaluated before any record is read.
create function embed_overflow(name text) returns boolean language plpgsql stable as $function$
begin
  raise exception 'Too many records would be embedded.' using errcode = 'EMBED', detail = name;
end
$function$;
