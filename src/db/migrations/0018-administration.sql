-- The access of administrators and what they have done, which belong to no tenant, and what is known of the requests of API users.
create table administration_tokens (
  id text primary key,
  name text not null,
  -- The tenant that it is limited to; null: all tenants.
  limited_to bigint references tenants,
  hash text not null,
  created_at timestamptz(0) not null default date_trunc('second', now()),
  expires_at timestamptz(0) not null,
  revoked_at timestamptz(0),
  last_used_at timestamptz(0)
);
create index on administration_tokens (limited_to);

-- Without references: what has been done remains known.
create table administration_log (
  id bigint generated always as identity primary key,
  at timestamptz(0) not null default date_trunc('second', now()),
  administrator text not null,
  token_id text,
  operation text not null,
  tenant text,
  target text,
  -- Null while it is in progress.
  status integer,
  address text,
  request_id text
);

alter table tokens add last_used_at timestamptz(0);

create table refused_requests (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  at timestamptz(0) not null,
  operation text,
  status integer not null,
  code text,
  -- Without a reference, like that of the usage: requests can be those of an API user that is being removed.
  api_user_id bigint,
  request_id text not null
);
create index on refused_requests (tenant_id, at);
select tenant_table('refused_requests', '');

create table api_user_usage (
  tenant_id bigint, api_user_id bigint, day date, class text, primary key (tenant_id, api_user_id, day, class),
  requests bigint not null,
  refused bigint not null
);
create index on api_user_usage (tenant_id, day);
select tenant_table('api_user_usage', '');
