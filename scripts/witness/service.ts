import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/free-port.ts';
import nodeFlags from '../bin/node-flags.cjs';
import type { ServicePorts } from './client.ts';
import type { StepResult } from './step.ts';

/** The start of the service's clock: a Wednesday, so that the demo week has past and future days. */
const beginning = Date.parse('2026-06-10T08:00:00Z') / 1000;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The service of this checkout with a temporary folder and a controlled clock. */
export class Service {
  readonly ports: ServicePorts;
  readonly #folder = mkdtempSync(join(tmpdir(), 'staffing-witness-'));
  readonly #clock = join(this.#folder, 'clock');
  #server: ChildProcess | null = null;
  #printed: Promise<string> = Promise.resolve('');

  private constructor(ports: ServicePorts) {
    this.ports = ports;
    writeFileSync(this.#clock, '');
    this.setClock(0);
  }

  static async create(): Promise<Service> {
    return new Service({ api: await freePort(), internal: await freePort() });
  }

  /** Sets the service's clock to the given number of seconds after its start. */
  setClock(seconds: number): void {
    utimesSync(this.#clock, beginning + seconds, beginning + seconds);
  }

  /** Starts the server and waits until it is ready. */
  async start(): Promise<StepResult> {
    const server = this.#spawn([...nodeFlags, '--require', './scripts/node-version.cjs', 'src/main.ts']);
    this.#server = server;
    this.#printed = text(server.stdout);
    while (!(await this.#isReady())) {
      if (server.exitCode !== null) throw new Error(`The server exited (${server.exitCode}): ${await this.#printed}`);
      await wait(100);
    }
    return { status: 0, headers: [], body: '' };
  }

  /** Stops the server and returns its output. */
  async stop(): Promise<StepResult> {
    const server = this.#server;
    if (!server) return { status: 0, headers: [], body: '' };
    this.#server = null;
    server.kill('SIGTERM');
    const printed = await this.#printed;
    if (server.exitCode === null) await once(server, 'exit');
    return { status: server.exitCode, headers: [], body: this.#anonymous(printed) };
  }

  /** Runs a command of the command line and returns its output. */
  async command(args: readonly string[]): Promise<StepResult> {
    const child = this.#spawn(['--require', './scripts/node-version.cjs', 'src/cli/main.ts', ...args]);
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    return { status: child.exitCode, headers: [], body: this.#anonymous(printed) };
  }

  /** Stops the server and removes the folder. */
  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #spawn(args: readonly string[]) {
    return spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', process.env.WITNESS_LOG ? 'inherit' : 'ignore'],
      env: {
        PATH: process.env.PATH,
        TZ: 'UTC',
        NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(new URL('clock.cjs', import.meta.url)))}`,
        WITNESS_CLOCK: this.#clock,
        DATA_DIR: join(this.#folder, 'data'),
        HOST: '127.0.0.1',
        PORT: String(this.ports.api),
        INTERNAL_PORT: String(this.ports.internal),
        RATE_LIMIT: '1000000',
        RATE_LIMIT_PERIOD: '86400',
        STATEMENT_TIMEOUT: '60000',
        AUTOMATIONS: 'false',
      },
    });
  }

  async #isReady(): Promise<boolean> {
    const response = await fetch(`http://127.0.0.1:${this.ports.internal}/readyz`).catch(() => null);
    await response?.body?.cancel();
    return response?.ok ?? false;
  }

  /** Replaces ports and folder, which differ from run to run. */
  #anonymous(printed: string): string {
    return printed
      .replaceAll(String(this.ports.api), '<port>')
      .replaceAll(String(this.ports.internal), '<internal port>')
      .replaceAll(this.#folder, '<folder>');
  }
}
