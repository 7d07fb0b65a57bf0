-- A page of clients after an id, with ten dynamic fields.
select
  r.id as "id",
  r.relation_id as "relation_id",
  r.external_id as "external_id",
  r.status as "status",
  r.company as "company",
  r.name as "name",
  r.address_first as "address_first",
  r.address_second as "address_second",
  r.zip as "zip",
  r.city as "city",
  r.country as "country",
  r.created_at as "created_at",
  r.updated_at as "updated_at",
  d."text_1" as "dynamic_field_1003",
  d."key_1" as "dynamic_field_1004",
  d."number_1" as "dynamic_field_1005",
  d."flag_1" as "dynamic_field_1006",
  d."text_2" as "dynamic_field_1013",
  d."text_3" as "dynamic_field_1014",
  d."number_2" as "dynamic_field_1015",
  d."date_1" as "dynamic_field_1016",
  d."flag_2" as "dynamic_field_1017",
  d."number_3" as "dynamic_field_1018"
from "clients_view" as r
inner join "dynamic_clients" as d on d.tenant_id = $1 and (d.id = r.id)
where r.tenant_id = $1 and r.id > $2::bigint
order by r.id asc
limit 51
