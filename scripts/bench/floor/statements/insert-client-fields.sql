-- The dynamic fields of a new client.
insert into dynamic_clients (id, tenant_id) values ($2, $1) returning id
