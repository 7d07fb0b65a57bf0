import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../src/db/open.ts';
import { expectedSchema } from '../../../src/server/expected-schema.ts';
import { issueAdministrationToken, listAdministrationTokens } from '../../../src/tenancy/administrators.ts';
import { createApiUser, listApiUsers } from '../../../src/tenancy/api-users.ts';
import { renewJournals } from '../../../src/tenancy/journals.ts';
import { inMemory, newTenant, onServer, scratchUrl } from '../../support/database.ts';

/** Settings that a database can have, in which results and statements would read differently. */
const others: Readonly<Record<string, string>> = {
  datestyle: 'German, DMY',
  timezone: 'Asia/Kolkata',
  intervalstyle: 'sql_standard',
  quote_all_identifiers: 'on',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-10',
  row_security: 'off',
  default_transaction_isolation: 'serializable',
  transform_null_equals: 'on',
};

test('a database with other defaults is migrated, compared and used like any other', async () => {
  const url = await scratchUrl();
  const name = new URL(url).pathname.slice(1);
  await onServer(
    Object.entries(others)
      .map(([setting, value]) => `alter database "${name}" set ${setting} = '${value.replaceAll(', ', "', '")}'`)
      .join(';'),
  );
  const database = openDatabase({ ...inMemory, url });
  await database.migrate();
  assert.deepEqual(await database.differences(expectedSchema), []);
  const tenant = await newTenant(database);
  // One is read in the role of the tables' owner, one in that of the service.
  await createApiUser(database, tenant, { name: 'Reader', readOnly: true, scopes: [], hidden: [] });
  await issueAdministrationToken(database, { name: 'Reader', tenant: null, seconds: 60 });
  const found = [...(await listApiUsers(database, tenant)), ...(await listAdministrationTokens(database))];
  assert.deepEqual(
    found.map(({ name }) => name),
    ['Reader', 'Reader'],
  );
  // Misread, it would be another day, or none.
  for (const { createdAt } of found)
    assert.ok(Math.abs(Number(createdAt) - Date.now()) < 86_400_000, String(createdAt));
  assert.equal(await renewJournals(database), 1);
  await database.close();
});
