import { fileURLToPath } from 'node:url';
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

/** Where it prints: the console. */
type ContractOutput = Pick<Console, 'log' | 'error'>;

const print = ({ operation, problems, skipped, requests }: OperationResult, output: ContractOutput): void => {
  const state = problems.length > 0 ? 'FAIL' : skipped === null ? 'ok  ' : 'skip';
  const reason = skipped === null ? `${requests} requests` : skipped;
  output.log(`${state} ${operation.method} ${operation.path} (${operation.operationId}): ${reason}`);
  for (const problem of problems.slice(0, 20)) output.log(`       ${problem}`);
  if (problems.length > 20) output.log(`       and ${problems.length - 20} more`);
};

/**
 * Runs `npm run contract` with the arguments.
 * @returns the exit status: 0 if no operation fails, otherwise 1, also if no operation has been tested
 */
export const runContract = (args: readonly string[], output: ContractOutput): Promise<number> =>
  main(args, output).catch((error: unknown) => {
    output.error(error instanceof Error ? error.message : error);
    return 1;
  });

const main = async (args: readonly string[], output: ContractOutput): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
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
    output.log(usage);
    return 0;
  }
  if (!url || !token) {
    output.error(usage);
    return 1;
  }
  const results: OperationResult[] = [];
  const { left } = await runSuite({ url, token, write, ca, only, seed: Number(seed) }, result => {
    results.push(result);
    print(result, output);
  });
  const failed = results.filter(({ problems }) => problems.length > 0);
  const skipped = results.filter(({ skipped, problems }) => skipped !== null && problems.length === 0);
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  output.log(
    `${results.length} operations: ${results.length - failed.length - skipped.length} conform, ${failed.length} fail, ` +
      `${skipped.length} not tested; ${requests} requests, seed ${seed}`,
  );
  if (left > 0) output.log(`${left} records that were created are still there.`);
  for (const { operation } of failed)
    output.log(`FAIL ${operation.method} ${operation.path} (${operation.operationId})`);
  const nothing = skipped.length === results.length;
  if (nothing) output.log('Nothing has been tested.');
  return failed.length > 0 || nothing ? 1 : 0;
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await runContract(process.argv.slice(2), console);
