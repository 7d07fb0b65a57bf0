import { type VariableName, variables } from './variables.ts';

/** An invalid configuration, with one line per invalid variable. */
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

/** Collects problems: the first of each variable, in the order of the table of variables. */
export class Problems {
  readonly #lines = new Map<string, string>();

  /** Adds a problem of a variable. */
  add(name: string, line: string): void {
    if (!this.#lines.has(name)) this.#lines.set(name, `${name}: ${line}`);
  }

  /** Adds the problem that a value is not what the variable expects; secrets are not shown. */
  addInvalid(name: VariableName, value: unknown, detail = ''): void {
    const variable = variables.find(candidate => candidate.name === name);
    const shown = variable?.secret ? 'the given value' : JSON.stringify(String(value).slice(0, 80));
    this.add(
      name,
      `expected ${variable?.expected}, not ${shown}${detail && ` (${detail})`}; for example ${variable?.example}`,
    );
  }

  /** @throws ConfigError if there are problems */
  throwIfAny(): void {
    if (this.#lines.size === 0) return;
    const order = (name: string) => variables.findIndex(variable => variable.name === name);
    throw new ConfigError([...this.#lines].sort(([a], [b]) => order(a) - order(b)).map(([, line]) => line));
  }
}

/** The code of a system error, such as ENOENT; any other error as a string. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
