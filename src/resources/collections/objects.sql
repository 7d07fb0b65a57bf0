create view collection_objects_view with (security_invoker = true) as
select a.tenant_id, a.id, a.collection_id, 'attributes' collate "und-x-icu" as type, a.name, false as deleted,
  jsonb_build_object('entity_id', a.entity_id, 'entity', f.entity, 'type', a.type) as data,
  a.category
from attributes a
left join forms f on f.tenant_id = a.tenant_id and f.id = a.entity_id
where a.collection_id is not null;
grant select on collection_objects_view to staffing_tenant;
