import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { Tenant } from '../../../src/core/principal.ts';
import type { Database } from '../../../src/db/open.ts';
import { ownSchema } from '../../../src/db/schema/files.ts';
import { createTenant } from '../../../src/domain/provision/provision.ts';
import { updateTenant } from '../../../src/domain/provision/update-tenant.ts';
import { keptFor, type RetentionRule, removeOld } from '../../../src/server/jobs/retention.ts';
import { strictly } from '../../../src/tenancy/each-tenant.ts';
import { forAnyDatabase } from '../../support/database.ts';

const day = 86_400_000;
const changes = 90;
const kept = keptFor(changes);

const wanted = { slug: 'kept', name: 'Kept', hosts: [], modules: [], timeZone: 'UTC', rateLimit: null };

const user = `insert into api_users (tenant_id, id, name) values ($1, 1, 'Ada') on conflict do nothing`;
/** The table of what is kept, and statements that add a row of the time $2 to it. */
const added: Readonly<Record<string, readonly [table: string, ...statements: string[]]>> = {
  'Changes (`GET /changes`)': [
    'journal',
    `insert into journal (tenant_id, at, resource, id, change, fields, by_type) values ($1, $2, 'clients', 1, 'created', '{}', 'system')`,
  ],
  'Deliveries that have ended': [
    'automation_deliveries',
    `insert into automation_deliveries (tenant_id, id, automation_id, event_type, data, status, next_attempt_at, created_at)
      values ($1, 1, 1, 'event.starts_in', '{}', 3, null, $2)`,
  ],
  'Marks of occurrences that have triggered automations': [
    'automation_occurrences',
    'insert into automation_occurrences (tenant_id, id, automation_id, subject_id, start) values ($1, 1, 1, 1, $2)',
  ],
  'Webhooks in the inbox of a sandbox': [
    'sandbox_inbox',
    `insert into sandbox_inbox (tenant_id, id, automation_id, delivery_id, attempt, url, headers, body, response_status, stored_at)
      values ($1, 1, 1, 1, 1, '', '{}', '', 200, $2)`,
  ],
  'Imports that have ended, with their results': [
    'imports',
    user,
    `insert into imports (tenant_id, id, resource, mode, dry_run, status, api_user_id, parameters, format, size, created_at)
      values ($1, 1, 'clients', 'upsert', false, 'done', 1, '', 'csv', 0, $2)`,
  ],
  'Responses to an `Idempotency-Key`': [
    'idempotency_keys',
    user,
    `insert into idempotency_keys (tenant_id, hash, api_user_id, request, created_at) values ($1, 'a', 1, '', $2)`,
  ],
  'Rejected requests': [
    'refused_requests',
    `insert into refused_requests (tenant_id, id, at, status, request_id) values ($1, 1, $2, 404, '')`,
  ],
  'Requests of API users (`GET /me/requests`)': [
    'own_requests',
    `insert into own_requests (tenant_id, id, api_user_id, at, request_id, method, status, milliseconds)
      values ($1, 1, 1, $2, '', 'GET', 200, 1)`,
  ],
  'Usage of API users': [
    'api_user_usage',
    `insert into api_user_usage (tenant_id, api_user_id, day, class, requests, refused) values ($1, 1, $2, 'read', 1, 0)`,
  ],
  'Tokens, after they have expired': [
    'tokens',
    user,
    `insert into tokens (tenant_id, jti, api_user_id, expires_at) values ($1, 'a', 1, $2)`,
  ],
  'Webhook secrets, after they have expired': [
    'webhook_secrets',
    `insert into webhook_secrets (tenant_id, id, secret, expires_at) values ($1, 1, '', $2)`,
  ],
  'Administration tokens, after they have expired': [
    'administration_tokens',
    `insert into administration_tokens (id, name, hash, limited_to, expires_at) values ('a', '', '', $1, $2)`,
  ],
  'The administration log': [
    'administration_log',
    `insert into administration_log (administrator, operation, tenant, at) values ('', '', $1, $2)`,
  ],
};

describe('the table of what is kept how long', () => {
  it('has what is removed, with its days', () => {
    const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
    const [, section = ''] = page.split('## What is kept how long');
    const rows = [...(section.split('\n## ')[0]?.matchAll(/^\| (.+) \| (\d+)[^|]* \|$/gm) ?? [])];
    assert.deepEqual(
      rows.map(([, what, days]) => [what, Number(days)]),
      kept.map(({ what, days }) => [what, days]),
    );
    assert.deepEqual(
      Object.keys(added),
      kept.map(({ what }) => what),
    );
  });
});

forAnyDatabase(
  (_, getDatabase) => {
    let database: Database;
    let tenant: Tenant;

    before(async () => {
      database = getDatabase();
      tenant = await createTenant(database, wanted, 'test');
      const automation = {
        id: 1,
        trigger_type: 'event.starts_in',
        trigger_configuration: '{}',
        routine_type: 'function.lock',
        routine_configuration: '{}',
      } as const;
      await database.asOwner(tenant.id, ({ kysely }) => kysely.insertInto('automations').values(automation).execute());
      await updateTenant(database, tenant, { active: false }, 'test');
    });

    const send = (text: string, values: readonly string[]) =>
      database.asOwner(tenant.id, async transaction => (await transaction.send({ name: null, text, values }))[0]);

    describe('what is kept for a time, of a disabled tenant without modules and without readers', () => {
      for (const entry of kept)
        it(`is removed when its time is over, not before: ${entry.what}`, async () => {
          const [table = '', ...statements] = added[entry.what] ?? [];
          const own = ['administration_tokens', 'administration_log'].includes(table);
          const count = async () =>
            Number(
              (
                await send(
                  `select count(*) from ${table} ${own ? '' : 'where tenant_id = $1'}`,
                  own ? [] : [String(tenant.id)],
                )
              )?.rows[0]?.[0],
            );
          const now = Date.now();
          const removeAt = (time: number, only: RetentionRule) => removeOld([only], database, time);
          await removeAt(now + 1000 * day, entry);
          const before = await count();
          for (const text of statements)
            await send(text, [String(tenant.id), ...(text.includes('$2') ? [new Date(now).toISOString()] : [])]);
          assert.equal(await count(), before + 1);
          // The day of a usage begins at midnight.
          await removeAt(now + (entry.days - 1) * day, entry);
          assert.equal(await count(), before + 1);
          await removeAt(now + (entry.days + 1) * day, entry);
          assert.equal(await count(), before);
        });

      it('is removed although each rule fails for another tenant, and one for all: which, is told', async () => {
        const other = await createTenant(database, { ...wanted, slug: 'broken' }, 'test');
        const broken = async (): Promise<never> => {
          throw new Error('The statement has exceeded its time.');
        };
        const failing: Database = {
          ...database,
          asOwner: (id, work) => (id === other.id ? broken() : database.asOwner(id, work)),
          forTenant: of =>
            of.id === other.id ? { ...database.forTenant(of), snapshot: broken } : database.forTenant(of),
        };
        const now = Date.now();
        const { 'Responses to an `Idempotency-Key`': [, ...statements] = [''] } = added;
        for (const text of statements)
          await send(text, [String(tenant.id), ...(text.includes('$2') ? [new Date(now).toISOString()] : [])]);
        const failures: string[] = [];
        const removed = await removeOld(
          [{ what: 'A broken rule', days: 1, remove: broken }, ...kept],
          failing,
          now + 1000 * day,
          what => ({ ...strictly, failed: (_, of) => void failures.push(`${what} of ${of?.slug ?? 'all'}`) }),
        );
        assert.equal(removed['Responses to an `Idempotency-Key`'], 1);
        const ofTenants = kept.filter(({ what }) => !what.toLowerCase().includes('administration'));
        assert.deepEqual(failures, ['A broken rule of all', ...ofTenants.map(({ what }) => `${what} of broken`)]);
      });

      it('is kept from its end on, however long it waited for it: deliveries and imports', async () => {
        const ended = kept.filter(({ what }) => /^(Deliveries|Imports) that have ended/.test(what));
        const now = Date.now();
        const early = new Date(now - 40 * day).toISOString();
        for (const { what } of ended)
          for (const text of added[what]?.slice(1) ?? [])
            await send(text, [String(tenant.id), ...(text.includes('$2') ? [early] : [])]);
        await send('update automation_deliveries set attempted_at = now() where tenant_id = $1', [String(tenant.id)]);
        assert.deepEqual(await removeOld(ended, database, now + 29 * day), {});
        assert.deepEqual(Object.values(await removeOld(ended, database, now + 31 * day)), [1, 1]);
      });

      it('keeps a delivery that is pending, however old', async () => {
        const text = `insert into automation_deliveries
            (tenant_id, id, automation_id, event_type, data, status, next_attempt_at, created_at)
          values ($1, 2, 1, 'event.starts_in', '{}', 1, $2, $2)`;
        await send(text, [String(tenant.id), '2026-01-01T00:00:00Z']);
        await removeOld(kept, database, Date.now() + 1000 * day);
        const left = await send('select count(*) from automation_deliveries where tenant_id = $1 and id = 2', [
          String(tenant.id),
        ]);
        assert.equal(Number(left?.rows[0]?.[0]), 1);
        await send('delete from automation_deliveries where tenant_id = $1 and id = 2', [String(tenant.id)]);
      });
    });
  },
  { ...ownSchema },
);
