import { Temporal } from 'temporal-polyfill';
import { parseQueryString } from '../core/call/query-string.ts';
import type { Alias } from '../core/resource/resource.ts';
import { today } from '../core/time.ts';
import { parseQuery, type Query } from '../query/query.ts';

/** The listing that an alias stands for with the request's own parameters on top: its sort takes the place of the alias's. */
export const overlay = (alias: Alias | null, own: Query): Query => {
  if (!alias) return own;
  const base = parseQuery(parseQueryString(alias.query) ?? []);
  return {
    ...own,
    sort: own.sort.length > 0 ? own.sort : base.sort,
    filters: [...base.filters, ...own.filters],
  };
};

/** The alias at this moment: a date in the time zone for `today` and `tomorrow`, the instant for `now`. */
export const presentOf = (alias: Alias | null, timeZone: string): Alias | null => {
  if (!alias) return null;
  const present: Readonly<Record<string, string>> = {
    today: today(timeZone),
    tomorrow: today(timeZone, 1),
    now: Temporal.Now.instant().toString({ smallestUnit: 'second', roundingMode: 'floor' }),
  };
  return { ...alias, query: alias.query.replaceAll(/\b(today|tomorrow|now)\b/g, word => present[word] as string) };
};
