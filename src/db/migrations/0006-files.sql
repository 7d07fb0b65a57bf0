-- Stored files. Their content is in the file storage, under the tenant's id and the path.
create table files (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  path text not null,
  name text not null check (octet_length(name) between 1 and 255),
  mime text not null,
  status integer not null default 1 check (status = 1),
  user_id bigint not null,
  visibility text not null default 'private' check (visibility in ('private', 'public')),
  size bigint not null check (size >= 0),
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  unique (tenant_id, path),
  foreign key (tenant_id, user_id) references api_users
);
select tenant_table('files');
