import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import nodeFlags from '../bin/node-flags.cjs';
import { breakIn, copyRepository } from './copy.ts';
import type { ListedMutation } from './mutation.ts';
import { failed } from './reporter.ts';

/** Whether a test fails once the guard is broken. `invalid`: its tests fail without that, too. */
export interface TrialVerdict {
  readonly state: 'caught' | 'survived' | 'hung' | 'invalid';
  /** The first test that failed. */
  readonly by: string | null;
}

/** A copy of the repository in which guards are broken, one at a time. */
export class Trial {
  readonly #root: string;
  readonly #green = new Map<string, Promise<string | null>>();
  readonly #timeoutMs: number;
  readonly #trusts: boolean;

  /**
   * @param source the repository: its files that Git knows or does not ignore, as they are now
   * @param trusts whether the tests are known to pass as long as nothing is broken
   */
  constructor(source: string, timeoutMs: number, trusts = false) {
    this.#timeoutMs = timeoutMs;
    this.#trusts = trusts;
    this.#root = copyRepository(source);
  }

  /** Breaks a guard, runs its tests and mends it again. */
  async run(mutation: ListedMutation): Promise<TrialVerdict> {
    const { tests, names, database } = mutation;
    const key = JSON.stringify([tests, names, database]);
    const green = this.#green.get(key) ?? (this.#trusts ? Promise.resolve(null) : this.#test(mutation));
    this.#green.set(key, green);
    const failing = await green;
    if (failing !== null) return { state: 'invalid', by: failing };
    const mend = breakIn(this.#root, mutation);
    try {
      const by = await this.#test(mutation);
      return by === null ? { state: 'survived', by } : { state: by === hung ? 'hung' : 'caught', by };
    } finally {
      mend();
    }
  }

  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Runs tests; null: all have passed, otherwise the name of the first one that has not. */
  async #test({ tests, names, database }: ListedMutation): Promise<string | null> {
    const options = [
      ...nodeFlags,
      '--test',
      '--test-force-exit',
      '--test-isolation=none',
      `--test-timeout=${this.#timeoutMs}`,
    ];
    const reporter = `--test-reporter=${join(this.#root, 'scripts/mutate/reporter.ts')}`;
    const only = names === undefined ? [] : [`--test-name-pattern=${names}`];
    const runner = spawn(process.execPath, [...options, reporter, ...only, ...tests], {
      cwd: this.#root,
      env: {
        ...process.env,
        ...{ NODE_TEST_CONTEXT: undefined, TEST_DATABASES: database ?? 'embedded' },
        // What one guard has compiled, all others load.
        NODE_COMPILE_CACHE: join(this.#root, '.compiled'),
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: this.#timeoutMs,
      killSignal: 'SIGKILL',
    });
    const [output, [status, signal]] = await Promise.all([text(runner.stdout), once(runner, 'exit')]);
    // One that fails catches the guard, also where another then waits for ever.
    const first = output.split('\n').find(line => line.startsWith(failed));
    if (first !== undefined) return first.slice(failed.length);
    if (signal === 'SIGKILL') return hung;
    return status === 0 ? null : `tests that end with ${signal ?? status}`;
  }
}

const hung = 'nothing: its tests do not end';
