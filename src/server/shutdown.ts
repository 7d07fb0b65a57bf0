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

/** Milliseconds within which a repeated signal is ignored: npm forwards the terminal's. */
const echo = 500;

/** Signals that the library leaves alone: those handled here, and that of the log level. */
const others: closeWithGrace.Signals[] = ['SIGTERM', 'SIGINT', 'SIGUSR2'];

/** Both in seconds. */
interface ShutdownTimes {
  readonly delay: number;
  readonly timeout: number;
}

/** Returns a function that ends the process in stages, as an uncaught error does (with 1). */
export const stopInStages = (
  { unready, drain, close }: Stages,
  { delay, timeout }: ShutdownTimes,
  log: Logger,
): (() => void) => {
  const grace = closeWithGrace(
    {
      delay: (delay + timeout) * 1000 + 5_000,
      skip: others,
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
  return grace.close;
};

/**
 * Stops the process in stages on SIGTERM and SIGINT, or after an uncaught error.
 * A second signal ends the process immediately with exit status 1.
 */
export const stopOnSignals = (stages: Stages, times: ShutdownTimes, log: Logger): void => {
  const stop = stopInStages(stages, times, log);
  let first = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    if (first === 0) {
      first = now;
      log.info(`stopping on ${signal}`);
      stop();
    } else if (now - first > echo) {
      log.error(`second ${signal}, exiting immediately`);
      process.exit(1);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
};
