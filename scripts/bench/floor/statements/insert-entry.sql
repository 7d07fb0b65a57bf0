-- The entry in the journal.
insert into journal (tenant_id, by_type, by_id, request_id, resource, id, external_id, change, fields)
values ($1::bigint, 'api_user', $2::bigint, $3, $4, $5::bigint, null, $6, $7)
