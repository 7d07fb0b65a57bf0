import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { fillDemoFiles } from '../../src/demo/files.ts';
import { fillDemo } from '../../src/demo/fill.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';
import { type App, type Client, startApp } from '../support/app.ts';
import { document, type Node, type PathOperation, resolve } from '../support/conformance/document.ts';
import { exampleTarget, hasQuery } from '../support/conformance/example-targets.ts';
import { inMemory } from '../support/database.ts';

/** What an explorer sends for an operation: the document's examples. */
interface Example {
  readonly operation: PathOperation;
  readonly method: string;
  readonly target: string;
  /** Undefined: none. */
  readonly body: unknown;
}

/** Writes whose examples exclude each other are sent as dry runs; the others in this order. */
const order = ['GET', 'POST', 'PUT', 'DELETE'];

const exampleOf = (schema: Node): unknown => {
  const [example] = (resolve<Node>(schema).examples ?? schema.examples ?? []) as readonly unknown[];
  return example;
};

const bodyOf = ({ operationId, requestBody }: PathOperation): unknown => {
  if (!requestBody) return undefined;
  const schema = requestBody.content['application/json']?.schema;
  const [raw] = Object.values(requestBody.content) as { readonly example?: string }[];
  if (!schema) return Buffer.from(raw?.example ?? 'A small file.\n');
  const example = exampleOf(schema);
  assert.ok(example, `${operationId} has no example of a body: add @example to the body's model`);
  return example;
};

const exampleFor = (path: string, method: string, operation: PathOperation): Example => {
  const more = hasQuery(operation, 'dry_run') ? [['dry_run', 'true']] : [];
  return {
    operation,
    method: method.toUpperCase(),
    target: exampleTarget(path, operation, more),
    body: bodyOf(operation),
  };
};

const examples: readonly Example[] = Object.entries(document.paths)
  .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => exampleFor(path, method, operation)))
  .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));

describe("the document's examples succeed on a fresh demo tenant, as they stand", () => {
  let database: Database;
  let app: App;
  let call: Client['call'];

  before(async () => {
    // A separate database: the demo tenant takes the host name localhost.
    database = openDatabase(inMemory);
    await database.migrate();
    const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
    app = await startApp(database, { keys });
    const demo = await fillDemo(database, { size: 'small', baseDomain: 'test' });
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
      const answer = await call(method, target, body === undefined ? {} : { body });
      const documented = Object.keys(operation.responses).filter(status => status.startsWith('2'));
      assert.ok(
        documented.includes(String(answer.status)),
        `${answer.status} instead of ${documented}: change the example (@example, @exampleIds in spec/resources) or the demo's ` +
          `records that the examples are about (src/demo/story).\n${JSON.stringify(body)}\n${answer.text}`,
      );
    });
  }
});
