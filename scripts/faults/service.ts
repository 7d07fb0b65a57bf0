import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { senderOf } from '../../test/replica/caller.ts';
import type { Client } from '../../test/support/app.ts';
import { childEnvironment } from '../../test/support/child-environment.ts';
import { freePort } from '../../test/support/free-port.ts';
import { childrenOf, endWithParent } from '../bench/processes.ts';
import nodeFlags from '../bin/node-flags.cjs';

/** Milliseconds within which the service is ready, on a busy machine. */
const patience = 240_000;

/** The service in a process of its own, always on the same port. */
export class FaultService {
  /** Variables of its environment. */
  readonly environment: Record<string, string>;
  /** The program that starts Node.js, with its arguments; none: nothing does. */
  launcher: readonly string[] = [];
  /** The address that it listens on. */
  host = '127.0.0.1';
  readonly port: number;
  readonly #logFile: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, logFile: string, environment: Record<string, string>) {
    this.port = port;
    this.#logFile = logFile;
    this.environment = environment;
  }

  /** Prepares the service, which does not run yet. */
  static async create(logFile: string, environment: Record<string, string>): Promise<FaultService> {
    const [port, internalPort] = [await freePort(), await freePort()];
    const ports = { PORT: `${port}`, INTERNAL_PORT: `${internalPort}` };
    return new FaultService(port, logFile, { ...childEnvironment, ...environment, ...ports });
  }

  /** Prepares another instance of it. */
  another(): Promise<FaultService> {
    return FaultService.create(this.#logFile, this.environment);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The processes of its workers. */
  get workers(): readonly number[] {
    return childrenOf(this.pid);
  }

  /** What it has logged. */
  get logged(): string {
    return readFileSync(this.#logFile, 'utf8');
  }

  spawn(): void {
    const log = openSync(this.#logFile, 'a');
    const [program = '', ...args] = [...this.launcher, process.execPath, ...nodeFlags, ...endWithParent, 'src/main.ts'];
    const env = { ...this.environment, HOST: this.host };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', log, 'ipc'] });
    child.stdout?.resume();
    this.#child = child;
    closeSync(log);
  }

  /** Starts it, and waits until it serves a client. */
  async start(client: Client): Promise<void> {
    this.spawn();
    await this.serves(client);
  }

  /** Waits until it serves a client. @throws Error if it ends instead */
  async serves(client: Client): Promise<void> {
    const { send, close } = senderOf(client, () => this.port, { host: this.host, patience: 5000 });
    await this.#until(async () => (await send('GET', '/clients?limit=1'))?.status ?? 0);
    close();
  }

  /** Waits until it is ready. @throws Error if it ends instead */
  ready(): Promise<void> {
    const address = `http://127.0.0.1:${this.environment.INTERNAL_PORT}/readyz`;
    return this.#until(() =>
      fetch(address, { signal: AbortSignal.timeout(5000) }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
  }

  async #until(ask: () => Promise<number>): Promise<void> {
    const end = performance.now() + patience;
    for (let status = await ask(); status !== 200; status = await ask()) {
      if (this.#hasEnded) throw new Error(`The service has ended: ${this.logged.slice(-1000)}`);
      if (performance.now() > end) throw new Error(`The service responds with ${status}: ${this.logged.slice(-1000)}`);
      await pause(25);
    }
  }

  get #hasEnded(): boolean {
    return this.#child?.exitCode != null || this.#child?.signalCode != null;
  }

  /** Ends it by a signal, and waits until all of its processes have ended. @returns its exit status */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (!child || this.#hasEnded) return null;
    // The workers hold the other end of its output.
    const ended = once(child, 'close');
    child.kill(signal);
    const [status] = await ended;
    return status;
  }
}
