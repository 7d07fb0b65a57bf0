import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from './free-port.ts';

/** Returns the Redis server program: TEST_REDIS_SERVER, otherwise the installed one (Debian: redis-server); null: not found. */
export const redisProgram = (): string | null => {
  const program = process.env.TEST_REDIS_SERVER ?? 'redis-server';
  return spawnSync(program, ['--version']).status === 0 ? program : null;
};

export interface RedisServer {
  readonly url: string;
  /** Kills the server, as in a crash. */
  kill(): Promise<void>;
  /** Stops the process, whose connections stay. @returns a function with which it goes on */
  pause(): () => void;
}

/**
 * Starts a Redis server without persistence on a loopback port.
 * @param port reuses the port of a killed server; undefined: a free port.
 */
export const startRedis = async (program: string, port?: number): Promise<RedisServer> => {
  const chosen = port ?? (await freePort());
  const options = ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child: ChildProcess = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  let log = '';
  for await (const chunk of child.stdout ?? []) {
    log += chunk;
    if (log.includes('Ready to accept connections')) break;
  }
  if (child.exitCode !== null) throw new Error(`Redis did not start: ${log}`);
  return {
    url: `redis://127.0.0.1:${chosen}`,
    kill: async () => {
      process.off('exit', end);
      end();
      await exit;
    },
    pause: () => {
      child.kill('SIGSTOP');
      return () => void child.kill('SIGCONT');
    },
  };
};
