-- The employees with the given ids.
select
  r.id as "id",
  r.external_id as "external_id",
  r.status as "status",
  r.firstname as "firstname",
  r.lastname as "lastname",
  r.email as "email",
  r.mobile as "mobile",
  r.birthday as "birthday",
  r.gender as "gender",
  r.address_first as "address_first",
  r.address_second as "address_second",
  r.zip as "zip",
  r.city as "city",
  r.country as "country",
  r.language_id as "language_id",
  r.wage_profile_id as "wage_profile_id",
  r.qualifications as "qualifications",
  r.last_active_at as "last_active_at",
  r.forgotten_at as "forgotten_at",
  r.created_at as "created_at",
  r.updated_at as "updated_at",
  d."key_1" as "dynamic_field_1008",
  d."key_2" as "dynamic_field_1009",
  d."flag_1" as "dynamic_field_1010",
  d."date_1" as "dynamic_field_1011",
  d."key_3" as "dynamic_field_1012"
from "employees" as r
inner join "dynamic_employees" as d on d.tenant_id = $1 and (d.id = r.id)
where r.tenant_id = $1 and (r.id = any($2::bigint[]))
order by r.id, r."created_at", r.id
