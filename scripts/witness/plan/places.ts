import { parse } from '../refer.ts';
import type { PlannedOperation, RecordValues } from './document.ts';
import { itemOf, type Places, root, type SentRequest, type WitnessPlan } from './plan.ts';

const rowsOf = ({ result }: SentRequest): readonly RecordValues[] => {
  const records = parse(result.body);
  return Array.isArray(records) ? records : [];
};

/** The sources of parameters whose values are not ids of the listing before them. */
const sources: Readonly<Record<string, { readonly listing: (before: string) => string; readonly field?: string }>> = {
  path: { listing: () => '/files?visibility=public', field: 'path' },
  value_id: { listing: before => before.replace(/\/value$/, '/values') },
};

/**
 * Returns functions that find records for path parameters.
 * They find the first and the last record, and one with each status in the document. Each listing is requested once.
 */
export const placeFinder = (
  operations: readonly PlannedOperation[],
  send: WitnessPlan['send'],
): Pick<WitnessPlan, 'places' | 'first'> => {
  const known = new Map<string, Promise<readonly string[]>>();

  const valuesAt = (before: string, listing: string, field?: string): Promise<readonly string[]> => {
    const found = known.get(listing) ?? find(before, listing, field);
    known.set(listing, found);
    return found;
  };

  const find = async (before: string, listing: string, field?: string): Promise<readonly string[]> => {
    const request = (query: string) =>
      send('witness', 'places', { target: `${root}${listing}${listing.includes('?') ? '&' : '?'}${query}&limit=1` });
    const first = await request('count=true');
    const key = Object.keys(rowsOf(first)[0] ?? {})[0];
    if (key === undefined) return [];
    const name = field ?? key;
    const values = [itemOf(first, 0, name), itemOf(await request(`sort=-${key}`), 0, name)];
    const statuses = operations.find(({ path, method }) => method === 'GET' && path === before)?.statuses ?? [];
    for (const status of statuses) {
      const one = await request(`status=${status}&sort=-${key}`);
      if (rowsOf(one).length > 0) values.push(itemOf(one, 0, name));
    }
    return values;
  };

  const extend = async (places: readonly Places[], name: string, pathBefore: string): Promise<readonly Places[]> => {
    const extended: Places[] = [];
    for (const place of places) {
      const before = pathBefore.replace(/\{(\w+)\}/g, (_, other: string) => place[other] ?? '1');
      const { listing = (path: string) => path, field } = sources[name] ?? {};
      const values = await valuesAt(before, listing(before), field);
      const wanted = Object.keys(place).length === 0 ? values : values.slice(0, 2);
      extended.push(...wanted.map(value => ({ ...place, [name]: value })));
    }
    return extended;
  };

  const firsts = new Map<string, Promise<string | undefined>>();
  const findFirst = async (listing: string): Promise<string | undefined> => {
    const sent = await send('witness', 'record to refer to', { target: `${root}${listing}` });
    return rowsOf(sent).length > 0 ? itemOf(sent, 0, 'id') : undefined;
  };
  const first = (listing: string) => {
    const found = firsts.get(listing) ?? findFirst(listing);
    firsts.set(listing, found);
    return found;
  };

  const places: WitnessPlan['places'] = async ({ path, required }) => {
    let places: readonly Places[] = [{}];
    for (const { 1: name = '', index } of path.matchAll(/\/\{(\w+)\}/g)) {
      places = await extend(places, name, path.slice(0, index));
    }
    if (required.includes('value_id')) places = await extend(places, 'value_id', path);
    if (required.includes('id')) {
      const ids = await valuesAt('/assignments', '/assignments');
      places = [{ id: ids.join(',') }, { id: ids[0] ?? '1' }];
    }
    return places;
  };
  return { places, first };
};
