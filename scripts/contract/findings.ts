import type { ApiResponse, Asked } from '../../test/support/app.ts';
import type { Operation } from '../../test/support/operations.ts';
import type { ContractTarget } from './target.ts';

/** Collects what is wrong with one operation. */
export class OperationCheck {
  readonly operation: Operation;
  readonly problems: string[] = [];
  readonly #target: ContractTarget;

  constructor(target: ContractTarget, operation: Operation) {
    this.#target = target;
    this.operation = operation;
  }

  /** Sends a request, whose exchange must conform to the document. */
  async ask(method: string, path: string, asked?: Asked): Promise<ApiResponse> {
    const response = await this.#target.ask(method, path, asked);
    for (const problem of response.problems) this.problems.push(`${method} ${short(path)}: ${problem}`);
    return response;
  }

  /** Sends a request whose status must be one of these; returns null if it is another one. */
  async expect(statuses: readonly number[], method: string, path: string, asked?: Asked): Promise<ApiResponse | null> {
    const response = await this.ask(method, path, asked);
    if (statuses.includes(response.status)) return response;
    this.problems.push(
      `${method} ${short(path)}: status ${response.status} instead of ${statuses.join(' or ')}${code(response)}`,
    );
    return null;
  }

  /** Sends a request that must be rejected with this status and code. */
  async rejects(status: number, wanted: string, method: string, path: string, asked?: Asked): Promise<void> {
    const response = await this.expect([status], method, path, asked);
    if (response)
      this.check(
        response.body?.code === wanted,
        `${method} ${short(path)}: code ${response.body?.code}, not ${wanted}`,
      );
  }

  /** Notes a problem unless the condition holds. */
  check(holds: boolean, problem: string): void {
    if (!holds) this.problems.push(problem);
  }
}

const code = ({ body }: ApiResponse): string => {
  if (!body?.code) return '';
  const fields = (body.errors ?? []).map((error: { field: string; code: string }) => `${error.field} ${error.code}`);
  return ` (${[body.code, ...fields].join(', ')})`;
};
const short = (path: string): string => (path.length > 200 ? `${path.slice(0, 200)}…` : path);
