import type { Field } from '../../src/core/resource/resource.ts';
import { Hostile, hostileProblems } from '../../test/support/hostile.ts';
import { rawRequests } from '../../test/support/raw-requests.ts';
import { rawProblems } from '../../test/support/raw-responses.ts';
import type { OperationCheck } from './findings.ts';
import { never } from './reads.ts';
import type { ContractTarget } from './target.ts';

/** How many requests of each kind an operation gets. */
const counts = { hostile: 3, raw: 3 };

/** Sends malformed and unusual requests; the same seed sends the same ones. */
export class Malformed {
  readonly #target: ContractTarget;
  readonly #hostile: Hostile;
  #next = 0;

  constructor(target: ContractTarget, seed: number) {
    this.#target = target;
    this.#hostile = new Hostile(seed);
  }

  /**
   * Tests that an operation responds to them as documented.
   * Writes are dry runs, or name a record that does not exist.
   */
  async check(findings: OperationCheck, fields: readonly Field[], id: number): Promise<void> {
    const { operation } = findings;
    for (let index = 0; index < counts.hostile; index++) {
      const { method, path, headers, body } = this.#hostile.request(
        operation,
        fields,
        operation.method === 'GET' ? id : never,
      );
      const changes = method !== 'GET' && method !== 'HEAD';
      const target = changes ? `${path}${path.includes('?') ? '&' : '?'}dry_run=true` : path;
      const response = await this.#target.ask(method, target, { headers, ...(body !== undefined && { body }) });
      for (const problem of hostileProblems(operation, response))
        findings.problems.push(`${method} ${target}: ${problem}`);
    }
    // Every operation gets other kinds, so that together they get all.
    const kinds = rawRequests(operation, this.#target, never);
    for (let index = 0; index < counts.raw; index++) {
      const kind = kinds[this.#next++ % kinds.length];
      if (!kind) continue;
      for (const problem of rawProblems(operation, await this.#target.exchange(kind.bytes)))
        findings.problems.push(`${kind.label}: ${problem}`);
    }
  }
}
