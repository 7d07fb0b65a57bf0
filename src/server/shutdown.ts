import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';

/** What stopping takes, in order. */
export interface Stages {
  /** Reports the server as not ready, so that no one sends it more. */
  readonly unready: () => void;
  /** Stops listening and waits for the requests under way, for the time that stopping may take. */
  readonly drain: () => Promise<void>;
  /** Closes what requests used. */
  readonly close: () => Promise<void>;
}

/** npm hands a signal on that the terminal has sent to the process already: a repetition so soon is the same one. */
const echo = 500;

/**
 * Stops the process in stages on SIGTERM and SIGINT, or after an error that no one caught (then with exit status 1); a second
 * signal ends it at once with 1.
 */
export const stopOnSignals = (
  { unready, drain, close }: Stages,
  { delay, timeout }: { readonly delay: number; readonly timeout: number },
  log: Logger,
): void => {
  const grace = closeWithGrace(
    {
      delay: (delay + timeout) * 1000 + 5_000,
      skip: ['SIGTERM', 'SIGINT'],
      logger: { error: (message: unknown) => log.error(message) },
    },
    async ({ err }) => {
      if (err) log.fatal(err, 'stopping after an unexpected error');
      unready();
      if (!err) await wait(delay * 1000);
      await drain();
      await close();
      log.info('stopped');
    },
  );
  let first = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (first === 0) {
      first = now;
      log.info(`stopping on ${signal}`);
      grace.close();
    } else if (now - first > echo) {
      log.error(`second ${signal}, ending at once`);
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
};
