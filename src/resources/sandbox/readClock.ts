import { nowOf } from '../../core/time.ts';
import { type Action, ok } from '../../engine/action.ts';

/** GET /sandbox/clock: returns the time in the sandbox. */
export const readClock: Action<'sandbox_readClock'> = async ({ principal }) =>
  ok({ now: nowOf(principal.tenant).toString({ smallestUnit: 'second', roundingMode: 'floor' }) });
