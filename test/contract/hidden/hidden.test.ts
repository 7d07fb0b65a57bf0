import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Category, categories } from '../../../src/core/resource/categories.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { fillDemoFiles } from '../../../src/demo/files.ts';
import { type Demo, fillDemo } from '../../../src/demo/fill.ts';
import { createApiUser } from '../../../src/tenancy/api-users.ts';
import { generateKeySet, parseKeySet } from '../../../src/tenancy/keys.ts';
import { createTokens } from '../../../src/tenancy/tokens.ts';
import { type App, startApp } from '../../support/app.ts';
import { inMemory } from '../../support/database.ts';
import { changeHidden } from './change.ts';
import { broadly, closely, type Seen, type Send, type Step, tellingOf, walk } from './walk.ts';

const headersOf = ({ body, headers }: Step, { tenant }: Demo, token: string): Record<string, string> => ({
  Host: `${tenant.slug}.test`,
  Authorization: `Bearer ${token}`,
  ...(body !== undefined && !(body instanceof Buffer) && { 'Content-Type': 'application/json' }),
  ...headers,
});

describe('what is hidden from an API user does not exist for it', () => {
  let database: Database;
  let app: App;
  let demo: Demo;
  /** Sends requests of an API user from whom nothing is hidden. */
  let other: Send;
  let userOf: (hidden: readonly Category[]) => Promise<Send>;

  before(async () => {
    database = openDatabase(inMemory);
    await database.migrate();
    const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
    app = await startApp(database, { keys });
    demo = await fillDemo(database, { size: 'small', baseDomain: 'test' });
    await fillDemoFiles(database, app.files, demo);
    const tokens = createTokens({ database, keys, issuer: 'staffing' });
    userOf = async hidden => {
      const name = `without ${hidden.join(', ')}`;
      const { id } = await createApiUser(database, demo.tenant, { name, readOnly: false, hidden });
      const { token } = await tokens.issueToken(demo.tenant, id, 3600);
      return step => app.send(step.method, step.target, headersOf(step, demo, token), step.body);
    };
    other = await userOf([]);
  });
  after(async () => {
    await app.close();
    await database.close();
  });

  const differing = (one: readonly Seen[], other: readonly Seen[]): readonly (readonly [Seen, Seen])[] =>
    one.flatMap((seen, index) => {
      const again = other[index] as Seen;
      return JSON.stringify(seen) === JSON.stringify(again) ? [] : [[seen, again] as const];
    });

  for (const category of categories) {
    it(`${category}: every response is the same, byte for byte, after it is changed by SQL`, async () => {
      const user = await userOf([category]);
      const steps = broadly([category]);
      const seen = await walk(steps, user);
      const told = tellingOf(category);
      const known = await walk(told, other);
      const changed = await changeHidden(database, demo.tenant, category);
      assert.ok(changed.length > 0);
      const differences = differing(seen, await walk(steps, user));
      assert.deepEqual(differences.slice(0, 3), [], `${differences.length} of ${steps.length} responses differ`);
      // The change is one that others see.
      assert.ok(differing(known, await walk(told, other)).length >= told.length / 2);
    });
  }

  it('all categories: every filter, sort, selection and hint of every listing, and the document', async () => {
    const user = await userOf(categories);
    const steps = [{ method: 'GET', target: '/openapi.json' }, ...closely()];
    const seen = await walk(steps, user);
    assert.ok(seen.filter(({ text }) => text.includes('unknown_field')).length > steps.length / 3);
    for (const category of categories) await changeHidden(database, demo.tenant, category);
    const differences = differing(seen, await walk(steps, user));
    assert.deepEqual(differences.slice(0, 3), [], `${differences.length} of ${steps.length} responses differ`);
  });

  it('the document of the user has no hidden field, wherever it could stand', async () => {
    const [shown, whole] = [await userOf(['contact']), other].map(
      async send => (await send({ method: 'GET', target: '/openapi.json' })).body,
    );
    const of = (document: Awaited<typeof shown>, schema: string) =>
      Object.keys(document.components.schemas[schema].properties);
    for (const schema of ['EmployeeWithRelations', 'EmployeeCreate', 'EmployeeUpdate']) {
      assert.ok(of(await whole, schema).includes('mobile'), schema);
      assert.ok(!of(await shown, schema).includes('mobile'), schema);
      assert.ok(of(await shown, schema).includes('lastname'), schema);
    }
    const filters = ({ paths }: Awaited<typeof shown>): string => JSON.stringify(paths['/employees'].get.parameters);
    assert.match(filters(await whole), /"mobile"/);
    assert.doesNotMatch(filters(await shown), /mobile/);
  });
});
