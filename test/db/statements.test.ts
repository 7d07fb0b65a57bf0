import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definitionViolations } from '../support/definitions.ts';
import { type Sender, violationsOf } from '../support/statements.ts';

const accepted: readonly string[] = [
  'select r.id from clients r where r.tenant_id = $1 and r.id = $2',
  'select id from clients where (tenant_id = $1) and (id = 1 or id = 2)',
  "select id from clients where tenant_id = '7'::bigint",
  'select 1 from a left join b on b.tenant_id = $2 and b.id = a.id where a.tenant_id = $1',
  'with p as (select id from a where tenant_id = $1) select id from p',
  'with recursive p as (select id from a where tenant_id = $1 union all select p.id from p) select id from p',
  'select id from a where tenant_id = $1 union select id from b where tenant_id = $2',
  'select id from a where tenant_id = $1 and exists (select from b where b.tenant_id = $1)',
  'update a set b = d.b from unnest($2::bigint[]) d(b) where a.tenant_id = $1',
  'delete from a using b where a.tenant_id = $1 and b.tenant_id = $1',
  'insert into a (tenant_id, id) values ($1, $2), ($1, $3) on conflict (tenant_id, id) do nothing',
  'select value from assignments_reporting_forms($1, $2)',
  'select pg_try_advisory_xact_lock($1)',
  `set local app.tenant_id = '7'`,
  `select set_config('role', 'staffing_tenant', true)`,
  'declare listing no scroll cursor for select id from a where tenant_id = $1',
  'fetch 1000 from listing',
  'savepoint part',
  'select pg_current_snapshot(), server_identity()',
  'insert into a (tenant_id, b) values ($1, server_identity())',
  'select id from a where tenant_id = $1 and b < pg_snapshot_xmin($2::pg_snapshot)',
  'select case when b then tenant_now() end from a where tenant_id = $1',
  "select id from a where tenant_id = $1 and b > current_setting('app.clock_ahead')::interval",
  "update a set b = jsonb_set(jsonb_build_object('d', $2::text), '{c}', (c + 1)::text::jsonb) where tenant_id = $1",
];

const rejected: readonly [text: string, want: RegExp, sender?: Sender][] = [
  ['select id from a', /^a without the tenant's constant$/],
  ['select id from a where tenant_id = $1 or true', /^a without/],
  ['select id from a where not tenant_id = $1', /^a without/],
  ['select id from a where tenant_id <> $1', /^a without/],
  ["select id from a where tenant_id = current_setting('app.tenant_id')::bigint", /^a without/],
  ['select 1 from a join b on b.tenant_id = a.tenant_id where a.tenant_id = $1', /^b without/],
  ['select 1 from a, b where a.tenant_id = $1', /^b without/],
  ['select 1 from a, b where tenant_id = $1', /^a without.*,b without/],
  ['select 1 from a where tenant_id = $1 and id in (select id from b)', /^b without/],
  ['select (select max(id) from b) from a where tenant_id = $1', /^b without/],
  ['select 1 from a where tenant_id = $1 union select 1 from b', /^b without/],
  ['with p as (select id from a) select id from p', /^a without/],
  ['select 1 from a, lateral (select from b where b.id = a.id) x where a.tenant_id = $1', /^b without/],
  ['update a set b = 1', /^a without/],
  ['update a set tenant_id = 8 where tenant_id = $1', /tenant_id is changed/],
  ['delete from a using b where a.tenant_id = $1', /^b without/],
  ['insert into a (id) values ($1)', /row of a without/],
  ['insert into a (tenant_id, id) values ($1, 2), (default, 3)', /row of a without/],
  ['insert into a (tenant_id, id) select $1, id from json_to_recordset($2) r(id bigint)', /rows of a from a query/],
  ['declare listing cursor for select id from a', /^a without/],
  [
    'insert into a (tenant_id, id) values ($1, (select max(id) from b where tenant_id = $1))',
    /a subquery in the rows of a/,
  ],
  ['update a set b = gen_random_uuid() where tenant_id = $1', /gen_random_uuid\(\) in a change/],
  ['delete from a where tenant_id = $1 and b < clock_timestamp()', /clock_timestamp\(\) in a change/],
  [
    'select 1 from a left join assignments_reporting_forms($1, $2) o on o.id = a.id where a.tenant_id = $1',
    /assignments_reporting_forms beside a/,
  ],
  [
    "update a set b = case when c then date_trunc('second', tenant_now()) else b end where tenant_id = $1",
    /date_trunc in CASE or COALESCE of a change/,
  ],
  ['update a set b = coalesce(c, tenant_now()) where tenant_id = $1', /tenant_now in CASE or COALESCE of a change/],
  ['delete from a where tenant_id = $1 and coalesce(b, current_timestamp) < $2', /present time in CASE or COALESCE/],
  ['insert into a (tenant_id, b) values ($1, coalesce($2, now()))', /now in CASE or COALESCE of a change/],
  [
    "update a set b = jsonb_build_object('c', c + 1) where tenant_id = $1",
    /jsonb_build_object\(\) of a column in a change/,
  ],
  ["delete from a where tenant_id = $1 and concat_ws('/', b, id) = $2", /concat_ws\(\) of a column in a change/],
  ['select id from a where tenant_id = $1 and b >= pg_current_xact_id()', /pg_current_xact_id\(\) beside a table/],
  [
    'select id from a where tenant_id = $1 and not pg_visible_in_snapshot(b, pg_current_snapshot())',
    /pg_current_snapshot\(\) beside a table/,
  ],
  ['update a set b = $2 where tenant_id = $1 and c <> server_identity()', /server_identity\(\) beside a table/],
  [
    'select id from a where tenant_id = $1 and b = (select system_identifier from pg_control_system())',
    /pg_control_system/,
  ],
  ['select id from a where tenant_id = $1 and xmin = $2', /the column xmin/],
  ['select id, active_modules() from a where tenant_id = $1', /active_modules\(\) beside rows of a tenant/],
  [
    'select active_modules(), (select count(*) from a where tenant_id = $1)',
    /active_modules\(\) beside rows of a tenant/,
  ],
  [
    'with b as (select id from a where tenant_id = $1) select acting_user(id) from b',
    /acting_user\(\) beside rows of a tenant/,
  ],
  [
    "select id from a where tenant_id = $1 and id = any(current_setting('app.page')::bigint[])",
    /the setting app\.page beside rows of a tenant/,
  ],
  ['create temporary table t (id bigint)', /CreateStmt/],
  ['select id into temporary t from a where tenant_id = $1', /a new table/],
  ['listen x', /ListenStmt/],
  ['notify x', /NotifyStmt/],
  ["select pg_notify('x', '')", /pg_notify/],
  ['select pg_advisory_lock(1)', /pg_advisory_lock/],
  ['select pg_try_advisory_lock(1)', /pg_try_advisory_lock/],
  ['select lo_create(0)', /lo_create/],
  ['select query from pg_stat_activity', /pg_stat_activity/],
  ['select query from pg_catalog.pg_stat_activity', /pg_stat_activity/],
  ["set app.tenant_id = '8'", /a setting of the session/, 'tenant'],
  ["set app.tenant_id = '8'", /a setting of the session/, 'owner'],
  ["select set_config('app.tenant_id', '8', false)", /set_config/, 'system'],
  ['select id from a', /^a without/, 'owner'],
  ['select id from a', /^a without/, 'system'],
];

const definition = (body: string) =>
  `create function f(tenant bigint) returns table (own bigint) language plpgsql as $body$ begin ${body} end $body$`;

describe('the checker of definitions', () => {
  const rejectedBodies: readonly [body: string, want: RegExp][] = [
    ['update a set b = coalesce(c, tenant_now()) where tenant_id = tenant;', /tenant_now in CASE or COALESCE/],
    [
      'return query select id from a where b < pg_snapshot_xmin(pg_current_snapshot());',
      /pg_current_snapshot\(\) beside/,
    ],
    ['own := (select id from a where a.server = server_identity());', /server_identity\(\) beside a table/],
    ['if exists (select from a where xmin = 1) then return; end if;', /the column xmin/],
    ['perform enqueue_import(id) from a where tenant_id = tenant;', /enqueue_import\(\) beside rows of a tenant/],
  ];
  for (const [body, want] of rejectedBodies)
    it(`rejects ${body}`, () => assert.match(String(definitionViolations(definition(body), 'plpgsql')), want));
  it('rejects a view', () =>
    assert.match(
      String(definitionViolations('select id from a where b = server_identity()', 'sql')),
      /beside a table/,
    ));
  it('accepts what the coordinator has computed before', () => {
    const body = 'own := (select id from a where b < pg_snapshot_xmin(present));';
    const text = definition(body).replace('begin', 'declare present pg_snapshot := pg_current_snapshot(); begin');
    assert.deepEqual(definitionViolations(text, 'plpgsql'), []);
  });
});

describe('the checker of statements', () => {
  for (const text of accepted) it(`accepts ${text}`, () => assert.deepEqual(violationsOf(text, 'tenant'), []));
  for (const [text, want, sender = 'tenant'] of rejected)
    it(`rejects ${text} of the ${sender}`, () => assert.match(String(violationsOf(text, sender)), want));
  it('lets the service itself read its own tables and the catalogue', () => {
    for (const text of ['select slug from tenants', 'select 1 from pg_class', 'delete from jobs.job', 'vacuum analyze'])
      assert.deepEqual(violationsOf(text, 'system'), []);
  });
});
