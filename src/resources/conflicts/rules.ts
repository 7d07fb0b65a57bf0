import type { Call } from '../../core/call/call.ts';
import type { Parameter } from '../../core/call/parameter.ts';
import { integerOf, onlyValue } from '../../core/call/values.ts';
import { ApiError } from '../../core/errors.ts';
import { parseInstant } from '../../core/time.ts';
import { readPosition } from '../../domain/conflicts/progress.ts';
import { presentPosition } from '../../domain/conflicts/rebuild.ts';
import type { Rules } from '../../engine/rules.ts';

/** Listings can be of a period and wait for the worker that finds conflicts; they say how far it is. */
export const conflicts: Rules = {
  ready: async (call, db, { wakeups }) => {
    const wait = integerOf('wait', onlyValue('wait', call.parameters) ?? '0', 0, 30);
    if (wait === 0) return false;
    const end = performance.now() + wait * 1000;
    const signal = call.leave();
    const present = await presentPosition(db, () => performance.now() < end && !signal.aborted && !wakeups.stopped);
    if ((await db.snapshot(readPosition)) < present)
      await wakeups.waitForConflicts(db.tenant.id, present, end - performance.now(), signal);
    signal.throwIfAborted();
    return true;
  },
  headers: async db => ({ 'x-position': String(await db.snapshot(readPosition)) }),
  view: async call => ({ ...call, parameters: filtersOf(call) }),
};

/** Returns the parameters with the period as filters of start and end; nothing overlaps an empty one. */
const filtersOf = ({ parameters, principal: { tenant } }: Call): readonly Parameter[] => {
  const [from, to] = (['from', 'to'] as const).map(name => instantParameter(name, parameters, tenant.timeZone));
  const others = parameters.filter(([name]) => name !== 'from' && name !== 'to' && name !== 'wait');
  return [
    ...others,
    ...(from ? [['end[]', `>${from}`] as const] : []),
    ...(to ? [['start[]', `<${to}`] as const] : []),
    ...(from && to && to <= from ? [['start[]', `>=${to}`] as const] : []),
  ];
};

/** @throws ApiError invalid_parameter (400) */
const instantParameter = (name: string, parameters: readonly Parameter[], timeZone: string): string | null => {
  const text = onlyValue(name, parameters);
  if (text === undefined) return null;
  const instant = parseInstant(text, timeZone);
  if (instant) return instant;
  throw new ApiError('invalid_parameter', { message: `${name} must be a date or a date-time.` });
};
