import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { pino } from 'pino';
import { followSignal } from '../../src/server/log-level.ts';

for (const [configured, other] of [
  ['info', 'debug'],
  ['silent', 'debug'],
  ['debug', 'info'],
  ['trace', 'info'],
]) {
  test(`SIGUSR2 switches the level from ${configured} to ${other} and back, and says so`, () => {
    const lines: string[] = [];
    const log = pino({ level: String(configured) }, { write: line => void lines.push(line) });
    const signals = new EventEmitter();
    followSignal(log, signals);
    const levels = [1, 2, 3].map(() => {
      signals.emit('SIGUSR2');
      return log.level;
    });
    assert.deepEqual(levels, [other, configured, other]);
    assert.deepEqual(
      lines.map(line => JSON.parse(line).log_level),
      levels,
    );
  });
}
