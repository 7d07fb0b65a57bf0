import type { Tenant } from '../../../src/core/principal.ts';
import type { Database } from '../../../src/db/open.ts';
import { listApiUsers } from '../../../src/tenancy/api-users.ts';
import { generateKeySet, parseKeySet } from '../../../src/tenancy/keys.ts';
import { createTokens } from '../../../src/tenancy/tokens.ts';
import { startApp } from '../../../test/support/app.ts';
import { document, type PathOperation } from '../../../test/support/conformance/document.ts';
import { exampleTarget, hasQuery } from '../../../test/support/conformance/example-targets.ts';
import { clockOf } from './clock.ts';
import { repetitions, type Walked } from './walk.ts';

/** The listing's annotations in the document. */
type Annotated = PathOperation & {
  readonly 'x-alias'?: string;
  readonly 'x-verb'?: string;
  readonly 'x-parent'?: object;
};

/** Whether a listing is asked shape by shape (see shapes.ts): only these have filters and sorts. */
const isWalked = (operation: Annotated): boolean =>
  operation['x-verb'] === 'list' && !operation['x-alias'] && !operation['x-parent'];

/**
 * The targets of what else can be read as JSON, with the document's examples of its parameters.
 * Predefined and nested listings, records, and what actions list.
 */
const readTargets = (): readonly string[] =>
  Object.entries(document.paths).flatMap(([path, { get }]) => {
    if (!get || isWalked(get) || !JSON.stringify(get.responses[200] ?? {}).includes('application/json')) return [];
    return [exampleTarget(path, get, hasQuery(get, 'limit') ? [['limit', '50']] : [])];
  });

/**
 * Sends each of the targets ten times to the API on the database, on the same connection.
 * @param database with a pool of one connection
 * @param tenant of the demo, which has the records of the document's examples
 */
export async function* walkTargets(database: Database, tenant: Tenant): AsyncGenerator<Walked> {
  const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
  const [apiUser] = await listApiUsers(database, tenant);
  const tokens = createTokens({ database, keys, issuer: 'staffing' });
  const { token } = await tokens.issueToken(tenant, apiUser?.id ?? 0, 3600);
  const app = await startApp(database, { keys });
  const clock = await clockOf(database.forTenant(tenant));
  for (const target of readTargets()) {
    const runs: number[] = [];
    while (runs.length < repetitions && runs.every(Number.isFinite)) {
      const from = clock();
      const { status } = await app.callAs({ tenant, token }, 'GET', target);
      runs.push(status < 500 ? clock() - from : Number.POSITIVE_INFINITY);
    }
    yield { label: target, runs };
  }
  await app.close();
}
