import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';

/** The stages of a shutdown, in order. */
export interface Stages {
  /** Reports the server as not ready, so that load balancers send no further requests. */
  readonly unready: () => void;
  /** Stops listening and waits for in-flight requests, up to the timeout. */
  readonly drain: () => Promise<void>;
  /** Closes the resources that requests used. */
  readonly close: () => Promise<void>;
}

/** Milliseconds within which a repeated signal is ignored: npm forwards a signal that the terminal has already sent. */
const echo = 500;

/**
 * Stops the process in stages on SIGTERM and SIGINT, or after an uncaught error (then with exit status 1). A second signal ends
 * the process immediately with exit status 1.
 * Both `delay` and `timeout` are in seconds.
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
      log.error(`second ${signal}, exiting immediately`);
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
};
