-- A new client.
insert into clients (id, status, company, city, tenant_id) values ($2, 1, $3, $4, $1) returning id, external_id
