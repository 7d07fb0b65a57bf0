import { parseArgs } from 'node:util';
import { type OperationResult, runSuite } from './suite.ts';

const usage = `npm run contract -- --url <url> --token <token> [--write] [--ca <file>] [--only <text>] [--seed <number>]

Tests the contract of a running server, operation by operation. Without --write, only GET and HEAD requests are sent; --write creates
records and removes them as far as the API allows: use a tenant for tests.

  --url <url>      the address of the tenant: https://demo.staffing.example
  --token <token>  a token of one of its API users
  --write          tests the operations that write, too
  --ca <file>      trusts the certificates of this file (PEM)
  --only <text>    tests only operations whose method, path or id contains the text
  --seed <number>  the seed of the malformed requests
  --help           prints this

Exits with 0 if every tested operation conforms, otherwise with 1. A response 429 or 503 with Retry-After is waited for and the request sent again.
`;

const print = ({ operation, problems, skipped, requests }: OperationResult): void => {
  const state = problems.length > 0 ? 'FAIL' : skipped === null ? 'ok  ' : 'skip';
  const reason = skipped === null ? `${requests} requests` : skipped;
  console.log(`${state} ${operation.method} ${operation.path} (${operation.operationId}): ${reason}`);
  for (const problem of problems.slice(0, 20)) console.log(`       ${problem}`);
  if (problems.length > 20) console.log(`       and ${problems.length - 20} more`);
};

/** @returns the exit status: 0 if no operation fails, otherwise 1, also if no operation has been tested */
const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      token: { type: 'string' },
      write: { type: 'boolean', default: false },
      ca: { type: 'string' },
      only: { type: 'string' },
      seed: { type: 'string', default: '20260401' },
      help: { type: 'boolean', default: false },
    },
  });
  const { url, token, write, ca, only, seed, help } = values;
  if (help) {
    console.log(usage);
    return 0;
  }
  if (!url || !token) {
    console.error(usage);
    return 1;
  }
  const results: OperationResult[] = [];
  const { left } = await runSuite({ url, token, write, ca, only, seed: Number(seed) }, result => {
    results.push(result);
    print(result);
  });
  const failed = results.filter(({ problems }) => problems.length > 0);
  const skipped = results.filter(({ skipped, problems }) => skipped !== null && problems.length === 0);
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  console.log(
    `${results.length} operations: ${results.length - failed.length - skipped.length} conform, ${failed.length} fail, ` +
      `${skipped.length} not tested; ${requests} requests, seed ${seed}`,
  );
  if (left > 0) console.log(`${left} records that were created are still there.`);
  for (const { operation } of failed)
    console.log(`FAIL ${operation.method} ${operation.path} (${operation.operationId})`);
  const nothing = skipped.length === results.length;
  if (nothing) console.log('Nothing has been tested.');
  return failed.length > 0 || nothing ? 1 : 0;
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
