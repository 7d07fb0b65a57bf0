import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Database } from '../../src/db/open.ts';
import { fillDemoFiles } from '../../src/demo/files.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { ownDatabase } from '../support/database.ts';
import { examples } from '../support/examples.ts';

describe("the document's examples succeed on a fresh demo tenant, as they stand", () => {
  let database: Database;
  let app: App;
  let call: Client['call'];

  before(async () => {
    // A separate database: the demo tenant takes the host name localhost.
    database = await ownDatabase();
    const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
    app = await startApp(database, { keys });
    const demo = await fillDemo(database, { size: 'small', baseDomain: 'test', sandbox: true });
    await fillDemoFiles(database, app.files, demo);
    const { token } = await createTokens({ database, keys, issuer: 'staffing' }).issueToken(
      demo.tenant,
      demo.apiUser.id,
      3600,
    );
    call = (...asked) => app.callAs({ tenant: demo.tenant, token }, ...asked);
  });
  after(async () => {
    await app.close();
    await database.close();
  });

  for (const { operation, method, target, body } of examples) {
    it(`${operation.operationId}: ${method} ${target}`, async () => {
      const response = await call(method, target, body === undefined ? {} : { body });
      const documented = Object.keys(operation.responses).filter(status => status.startsWith('2'));
      assert.ok(
        documented.includes(String(response.status)),
        `${response.status} instead of ${documented}: change the example (@example, @exampleIds in spec/resources) or the demo's ` +
          `records that the examples are about (src/demo/story).\n${JSON.stringify(body)}\n${response.text}`,
      );
    });
  }
});
