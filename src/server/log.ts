import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import sonic from 'sonic-boom';
import { DatabaseError } from '../db/errors.ts';
import { describeFailure } from './describe-failure.ts';

/** Characters of lines that wait to be written; the next ones are dropped. */
const most = 16_777_216;
/** Attempts, a tenth of a second apart, to write what is left when the process ends. */
const lastAttempts = 10;

/**
 * Opens stderr for lines of a log, which are written beside the process's work.
 * Lines that cannot be written, as where nobody reads them any more, cost no request, and the process ends without them.
 */
const openStandardError = (): DestinationStream => {
  let attempts = Number.POSITIVE_INFINITY;
  const lines = new sonic.SonicBoom({ fd: 2, maxLength: most, retryEAGAIN: () => attempts-- > 0 });
  lines.on('error', () => {});
  process.once('exit', () => {
    attempts = lastAttempts;
    try {
      lines.flushSync();
    } catch {
      // What ends the process is not that they cannot be written.
    }
  });
  return lines;
};

/**
 * Opens the log of a process, on stderr.
 * What the person who started it is to read goes to stdout.
 * @param base members of each line; default: those of pino
 */
export const openLog = (
  level: string,
  base?: Readonly<Record<string, unknown>>,
  destination: DestinationStream = openStandardError(),
): Logger => pino({ level, ...(base && { base }), serializers: { err: shownError } }, destination);

/** A database that is not available is so for all: the place in the code says nothing. */
const shownError = (error: Error): object =>
  error instanceof DatabaseError && error.kind === 'unavailable'
    ? { type: error.name, message: describeFailure(error) }
    : stdSerializers.err(error);

/**
 * Switches the log level on SIGUSR2.
 * To `debug` (from `debug` or `trace` to `info`), and the next time back to the level that was configured.
 */
export const followSignal = (log: Logger, signals: NodeJS.EventEmitter = process): void => {
  const configured = log.level;
  const other = configured === 'debug' || configured === 'trace' ? 'info' : 'debug';
  signals.on('SIGUSR2', () => {
    const level = log.level === configured ? other : configured;
    // Written at the more talkative of the two levels.
    log.level = 'info';
    log.info({ log_level: level }, 'the log level has been changed');
    log.level = level;
  });
};
