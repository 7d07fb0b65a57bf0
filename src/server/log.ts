import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';
import { DatabaseError } from '../db/errors.ts';
import { describeFailure } from './describe-failure.ts';

/**
 * Opens the log of a process, on stderr.
 * What the person who started it is to read goes to stdout.
 * @param base members of each line; default: those of pino
 */
export const openLog = (
  level: string,
  base?: Readonly<Record<string, unknown>>,
  destination: DestinationStream = pino.destination(2),
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
