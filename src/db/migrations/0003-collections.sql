-- Definitions of dynamic fields: collections with their values, forms with their attributes. Locations choose their country from one.
create table collections (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  identifier text,
  name text not null,
  editable boolean not null default true,
  visible boolean not null default true,
  deleted boolean not null default false,
  unique (tenant_id, identifier)
);
select tenant_table('collections');

create table collection_values (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  collection_id bigint not null,
  identifier text,
  name text not null,
  "order" integer not null default 0,
  parent_id bigint,
  editable boolean not null default true,
  visible boolean not null default true,
  deleted boolean not null default false,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  foreign key (tenant_id, collection_id) references collections,
  foreign key (tenant_id, parent_id) references collection_values
);
select tenant_table('collection_values');

create table locations (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  external_id text,
  name text not null,
  code text,
  line_1 text,
  line_2 text,
  zip text,
  city text,
  country bigint,
  latitude numeric(9, 6) check (latitude between -90 and 90),
  longitude numeric(9, 6) check (longitude between -180 and 180),
  time_zone text,
  deleted boolean not null default false,
  unique (tenant_id, external_id),
  foreign key (tenant_id, country) references collection_values
);
select tenant_table('locations');

create table forms (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  identifier text,
  name text not null,
  entity text not null,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now())
);
create index on forms (tenant_id, entity);
select tenant_table('forms');

create table attributes (
  tenant_id bigint, id bigint, primary key (tenant_id, id),
  entity_id bigint not null,
  identifier text,
  name text not null,
  type text collate "und-x-icu" not null default 'text',
  -- The number of the type in the API's enumeration.
  type_id integer not null generated always as (coalesce(array_position(
    array['text', 'number', 'boolean', 'date', 'email', 'phone', 'select', 'multi_select', 'level_select', 'file'], type collate "C"
  ), 0)) stored constraint attributes_type_check check (type_id > 0),
  collection_id bigint,
  language_id bigint,
  required boolean not null default false,
  "order" integer not null default 0,
  category text check (category in ('pay', 'contact', 'personal', 'health', 'identity')),
  options jsonb,
  deletable boolean not null default true,
  is_locked_employees boolean not null default false,
  created_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  updated_at timestamptz(0) not null default date_trunc('second', tenant_now()),
  foreign key (tenant_id, entity_id) references forms,
  foreign key (tenant_id, collection_id) references collections,
  foreign key (tenant_id, language_id) references languages
);
select tenant_table('attributes');
