-- The requests of API users, without values. Only the service writes them, in batches.
create table own_requests (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  -- Without a reference, like that of the usage: requests can be those of an API user that is being removed.
  api_user_id bigint not null,
  at timestamptz(0) not null,
  request_id text not null,
  method text not null,
  operation text,
  path text,
  status integer not null,
  code text,
  milliseconds integer not null
);
create index on own_requests (tenant_id, api_user_id, at, id);
create index on own_requests (tenant_id, at);
select tenant_table('own_requests', 'select');
