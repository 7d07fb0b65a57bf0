create function postal_address(line_1 text, line_2 text, zip text, city text, country text) returns text
language sql stable parallel safe
return nullif(concat_ws(', ',
  nullif(line_1, ''), nullif(line_2, ''), nullif(concat_ws(' ', nullif(zip, ''), nullif(city, '')), ''), nullif(country, '')
), '');

create view locations_view with (security_invoker = true) as
select l.*, postal_address(l.line_1, l.line_2, l.zip, l.city, coalesce(v.identifier, v.name)) as address
from locations l
left join collection_values v on v.tenant_id = l.tenant_id and v.id = l.country;
grant select on locations_view to staffing_tenant;
