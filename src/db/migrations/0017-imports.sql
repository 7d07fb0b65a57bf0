-- Imports, what has happened to each of their rows, and the queue of their jobs.
create table imports (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  resource text not null,
  mode text not null check (mode in ('upsert', 'create', 'update')),
  dry_run boolean not null,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  rows integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  error text,
  created_at timestamptz(0) not null default date_trunc('second', now()),
  updated_at timestamptz(0) not null default date_trunc('second', now()),
  api_user_id bigint not null,
  request_id text,
  parameters text not null,
  format text not null check (format in ('ndjson', 'csv')),
  -- The token of the rows in the file storage.
  content text,
  size bigint not null,
  -- The next batch begins after this many bytes and lines.
  position bigint not null default 0,
  lines integer not null default 0,
  constraint imports_content_check check (content is not null or status in ('done', 'failed')),
  constraint imports_rows_check check (rows = created + updated + unchanged + failed),
  foreign key (tenant_id, api_user_id) references api_users
);
create index on imports (tenant_id, created_at, id);
select tenant_table('imports');

create table import_results (
  tenant_id bigint, import_id bigint, line integer, primary key (tenant_id, import_id, line),
  id bigint,
  external_id text,
  result text not null check (result in ('created', 'updated', 'unchanged', 'failed')),
  errors jsonb not null,
  foreign key (tenant_id, import_id) references imports
);
select tenant_table('import_results');

-- As the queues of 0013-jobs.sql.
select jobs.create_queue('imports', '{
  "policy": "standard", "retryLimit": 10, "retryDelay": 10, "retryBackoff": true, "retryDelayMax": 3600, "expireInSeconds": 300,
  "heartbeatSeconds": 30, "retentionSeconds": 2592000, "deleteAfterSeconds": 86400
}');
