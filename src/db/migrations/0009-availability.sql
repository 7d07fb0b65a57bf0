-- Availability requests to employees, and their availabilities.
create table availability_requests (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  employee_id bigint not null,
  name text not null,
  "from" date,
  "to" date,
  blocked_at date,
  completed_at date,
  completed_by_enforcement boolean not null default false,
  constraint availability_requests_to_check check ("to" >= "from"),
  foreign key (tenant_id, employee_id) references employees
);
select tenant_table('availability_requests');

create table availability_requests_definitions (
  tenant_id bigint, availability_request_id bigint, primary key (tenant_id, availability_request_id),
  rules jsonb not null default '[]',
  time_slots jsonb not null default '[]',
  requested_availabilities jsonb not null default '[]',
  foreign key (tenant_id, availability_request_id) references availability_requests
);
select tenant_table('availability_requests_definitions');

create table availability_requests_availabilities (
  tenant_id bigint, availability_request_id bigint, primary key (tenant_id, availability_request_id),
  availabilities jsonb not null default '[]',
  foreign key (tenant_id, availability_request_id) references availability_requests
);
select tenant_table('availability_requests_availabilities');
