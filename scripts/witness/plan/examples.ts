import type { RecordValues } from './document.ts';
import type { WitnessPlan } from './plan.ts';

/**
 * Returns an example of the document with ids of existing records.
 * `client_id` becomes the id of the first client.
 */
export const realistic = async (plan: WitnessPlan, example: RecordValues): Promise<RecordValues> => {
  const entries: [string, unknown][] = [];
  for (const [name, value] of Object.entries(example)) entries.push([name, await realisticValue(plan, name, value)]);
  return Object.fromEntries(entries);
};

const realisticValue = async (plan: WitnessPlan, name: string, value: unknown): Promise<unknown> => {
  if (Array.isArray(value)) {
    const values: unknown[] = [];
    for (const item of value) values.push(await realisticValue(plan, name.replace(/_ids$/, '_id'), item));
    return values;
  }
  if (value !== null && typeof value === 'object') return realistic(plan, value as RecordValues);
  if (typeof value !== 'number' || !name.endsWith('_id')) return value;
  return (await idOf(plan, name)) ?? value;
};

/** The listings that supply ids; any other id is that of the first record in the listing of that name. */
const listings: Readonly<Record<string, string>> = {
  assignment_id: '/assignments?status=7&is_approved=0&end=%3C2026-06-10&sort=-end&limit=1',
  event_function_employee_id: '/assignments?status=7&is_approved=0&end=%3C2026-06-10&sort=-end&limit=1',
  event_id: '/events?status=2&sort=-start&limit=1',
  event_function_id: '/event-functions?sort=-start&limit=1',
  employee_id: '/employees?status=1&sort=-id&limit=1',
};

const idOf = async (plan: WitnessPlan, name: string): Promise<string | undefined> => {
  const known = listings[name];
  if (known) return plan.first(known);
  const words = name.replace(/_id$/, '').split('_');
  for (let length = words.length; length > 0; length--) {
    const path = `/${words.slice(-length).join('-')}s`;
    if (plan.operations.some(operation => operation.path === path)) return plan.first(`${path}?limit=1`);
  }
  return undefined;
};
