-- Sandboxes: tenants for testing an integration. Only their clock can be ahead.
alter table tenants
  add column sandbox boolean not null default false,
  -- What the clock of a sandbox is being moved to; null: it is not being moved.
  add column clock_due timestamptz(0),
  add constraint tenants_clock_check check (sandbox or (clock_ahead = 0 and clock_due is null));

-- Deliveries happen, and are repeated, by the tenant's clock.
alter table automation_deliveries
  alter created_at set default date_trunc('second', tenant_now()),
  alter next_attempt_at set default date_trunc('second', tenant_now());

-- The webhooks of a sandbox as they would be sent.
create table sandbox_inbox (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  automation_id bigint not null,
  delivery_id bigint not null,
  attempt integer not null,
  url text not null,
  headers jsonb not null,
  body text not null,
  response_status integer not null,
  received_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  -- By the real clock, which ends the time for which it is kept.
  stored_at timestamptz(0) not null default date_trunc('second', now())
);
create index on sandbox_inbox (tenant_id, received_at, id);
create index on sandbox_inbox (tenant_id, stored_at);
select tenant_table('sandbox_inbox');
