-- Fails: the fields of the tenant are not those that the transaction relies on.
create function stale_fields() returns boolean language plpgsql as $function$
begin
  raise exception 'The fields of the tenant have changed.' using errcode = 'STALE';
end
$function$;
