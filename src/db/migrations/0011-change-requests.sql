-- Requested changes to records.
create table change_requests (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  entity text not null check (entity in ('clients', 'contacts', 'employees')),
  entity_id bigint not null,
  status integer not null default 1 check (status in (1, 2, 3)),
  requested_by bigint,
  requested_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  decided_at timestamptz(0),
  changes jsonb not null default '[]',
  foreign key (tenant_id, requested_by) references employees
);
create index on change_requests (tenant_id, entity, entity_id);
select tenant_table('change_requests');
