import type { Variable } from './variable.ts';
import { type Name, variables } from './variables.ts';

/** What is wrong with the environment: one line for each variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'an error' : `${problems.length} errors`}:\n${problems.map(problem => `  ${problem}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Problems by variable: the first of each is told, in the table's order. */
export class Problems {
  readonly #lines = new Map<string, string>();

  /** Notes a line about a variable. */
  add(name: string, line: string): void {
    if (!this.#lines.has(name)) this.#lines.set(name, `${name}: ${line}`);
  }

  /** Notes that a value is not what the table expects; secrets are not shown. */
  wrong(name: Name, value: unknown, detail = ''): void {
    const variable: Variable | undefined = variables.find(candidate => candidate.name === name);
    const shown = variable?.secret ? 'what is set' : JSON.stringify(String(value).slice(0, 80));
    this.add(
      name,
      `expected ${variable?.expected}, not ${shown}${detail && ` (${detail})`}; for example ${variable?.example}`,
    );
  }

  /** @throws ConfigError if anything was noted. */
  throwIfAny(): void {
    if (this.#lines.size === 0) return;
    const order = (name: string) => variables.findIndex(variable => variable.name === name);
    throw new ConfigError([...this.#lines].sort(([a], [b]) => order(a) - order(b)).map(([, line]) => line));
  }
}

/** The code of a system error, such as ENOENT. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
