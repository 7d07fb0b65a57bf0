import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { writeOf } from '../../../src/db/journal/write.ts';

const cases: [statement: string, want: ReturnType<typeof short>][] = [
  ['select 1', null],
  ['select "id" from "clients" for update', null],
  ['insert into "idempotency_keys" ("hash") values ($1)', null],
  [
    'insert into "clients" ("id", "company", "tenant_id") values ($1, $2, $3) returning "clients"."id" as "journal_id"',
    { resource: 'clients', change: 'created', fields: ['id', 'company', 'name'] },
  ],
  [
    `update "events" as "e" set "name" = coalesce($1, 'a = "b", c'), "holding" = (select 1 where 2 = 3), "updated_at" = now() \
from unnest($2) d where "e"."id" = 1 returning "e"."id" as "journal_id"`,
    { resource: 'events', change: 'updated', fields: ['name', 'updated_at'] },
  ],
  [
    `with "x" as (select "id" from "clients" for no key update) delete from "contacts" returning "id" as "journal_id"`,
    { resource: 'contacts', change: 'deleted', fields: [] },
  ],
  [
    'update clients set company = $1 where id = 1 returning id as journal_id',
    { resource: 'clients', change: 'updated', fields: ['company', 'name'] },
  ],
  [
    'insert into "languages" ("id") values (1) on conflict do nothing returning "id" as "journal_id"',
    { resource: 'languages', change: 'created', fields: ['id'] },
  ],
];

const rejected: [statement: string, reason: RegExp][] = [
  ['update clients set company = $1', /does not return the ids/],
  ['with x as (delete from clients returning id as journal_id) select 1', /more than one part/],
  [
    'with x as (delete from clients returning id) update contacts set email = $1 returning id as journal_id',
    /more than one part/,
  ],
  [
    'insert into clients (id) values (1) on conflict (id) do update set company = $1 returning id as journal_id',
    /ON CONFLICT DO UPDATE/,
  ],
];

const short = (text: string) => {
  const write = writeOf(text);
  return write && { resource: write.table.resource, change: write.change, fields: [...write.fields] };
};

describe('the change that a statement makes', () => {
  for (const [statement, want] of cases)
    test(`is told for ${statement}`, () => {
      assert.deepEqual(short(statement), want);
    });

  for (const [statement, reason] of rejected)
    test(`is rejected if it can't be entered: ${statement}`, () => {
      assert.throws(() => writeOf(statement), reason);
    });
});
