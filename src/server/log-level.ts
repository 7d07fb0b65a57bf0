import type { Logger } from 'pino';

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
