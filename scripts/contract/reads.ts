import { chunksOf } from '../../src/core/chunks.ts';
import type { Field, Resource } from '../../src/core/resource/resource.ts';
import { printComparisons } from '../../src/query/filter.ts';
import type { ApiResponse } from '../../test/support/app.ts';
import type { OperationCheck } from './findings.ts';

/** A record of any resource. */
type ShownRecord = Readonly<Record<string, unknown>>;

/** An id that no record has. */
export const never = 9_007_199_254_740_991;

/** What the API user of the token can see of a resource. */
export interface Visible {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  readonly relations: Resource['relations'];
}

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

/**
 * Tests what every GET has.
 * This is ETag, HEAD, formats, envelope, callback, and the rejection of unknown parameters.
 */
export const checkGet = async (
  findings: OperationCheck,
  path: string,
  { isOpen = false } = {},
): Promise<ApiResponse | null> => {
  const response = await findings.expect([200], 'GET', path);
  if (!response) return null;
  const { etag } = response.headers;
  if (etag) {
    const same = await findings.ask('GET', path, { headers: { 'If-None-Match': etag } });
    // The record may have changed since.
    findings.check(same.status === 304 || same.headers.etag !== etag, `GET ${path}: If-None-Match is not 304`);
    findings.check(same.status !== 304 || same.text === '', `GET ${path}: 304 has a body`);
  }
  const head = await findings.expect([200], 'HEAD', path);
  findings.check(!head || head.bytes.length === 0, `HEAD ${path} has a body`);
  if (!findings.operation.respondsWithJson) return response;
  const xml = await findings.expect([200], 'GET', path.replace(/(?=\?|$)/, '.xml'));
  findings.check(!xml || /^application\/xml/.test(xml.headers['content-type'] ?? ''), `GET ${path}: .xml is no XML`);
  await findings.expect([200], 'GET', withQuery(path, 'envelope=true'));
  const called = await findings.expect([200], 'GET', withQuery(path, 'callback=a.b'));
  findings.check(!called || called.text.startsWith('/**/a.b('), `GET ${path}: the callback is not called`);
  await findings.rejects(400, 'unknown_field', 'GET', withQuery(path, 'no_such_parameter=1'));
  if (!isOpen) await findings.rejects(401, 'missing_token', 'GET', path, { headers: { Authorization: '' } });
  return response;
};

/** Tests a listing: filters, sort orders, embeds, fields, pages and formats. Returns its first records. */
export const checkListing = async (
  findings: OperationCheck,
  path: string,
  visible: Visible,
): Promise<readonly ShownRecord[]> => {
  const { fields } = visible;
  const filters = fields.filter(({ name }) => findings.operation.queries.includes(name));
  const first = await checkGet(findings, withQuery(path, 'limit=5'));
  if (!first) return [];
  const records: ShownRecord[] = first.body;
  for (const record of records) checkRecord(findings, path, record, visible);
  await checkFilters(findings, path, { ...visible, fields: filters }, records[0]);
  await checkSorts(findings, path, fields);
  await checkEmbeds(findings, withQuery(path, 'limit=5'), visible);
  await checkPages(findings, path, visible);
  for (const [format, type] of [
    ['csv', 'text/csv'],
    ['ndjson', 'application/x-ndjson'],
  ] as const) {
    const listed = await findings.expect([200], 'GET', withQuery(path.replace(/(?=\?|$)/, `.${format}`), 'limit=5'));
    findings.check(
      !listed || listed.headers['content-type']?.startsWith(type) === true,
      `GET ${path}: .${format} is not ${type}`,
    );
  }
  const filtered = filters.find(({ type }) => type === 'integer')?.name;
  if (filtered) await findings.rejects(400, 'invalid_filter', 'GET', withQuery(path, `${filtered}=not-a-number`));
  await findings.rejects(400, 'unknown_field', 'GET', withQuery(path, 'sort=no_such_field'));
  await findings.rejects(400, 'unknown_relation', 'GET', withQuery(path, 'embed=no_such_relation'));
  await findings.rejects(400, 'invalid_cursor', 'GET', withQuery(path, 'limit=1&cursor=none'));
  return records;
};

/** Tests a read of one record: all fields and relations, as in its listing. */
export const checkRead = async (
  findings: OperationCheck,
  path: string,
  visible: Visible,
  listed: ShownRecord | null,
): Promise<void> => {
  const response = await checkGet(findings, path);
  if (!response) return;
  checkRecord(findings, path, response.body, visible);
  if (listed && response.body.updated_at === listed.updated_at)
    findings.check(
      JSON.stringify(response.body) === JSON.stringify(listed),
      `GET ${path} differs from the record in its listing`,
    );
  await checkEmbeds(findings, path, visible);
};

/** Tests that a record has exactly the fields of its resource; those of tenants are free. */
const checkRecord = (
  findings: OperationCheck,
  path: string,
  record: ShownRecord,
  { resource, fields }: Visible,
): void => {
  const names = Object.keys(record).filter(name => !(resource.dynamic && /^dynamic_field_\d+$/.test(name)));
  const missing = fields.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  const foreign = names.filter(name => !fields.some(field => field.name === name));
  findings.check(missing.length === 0, `GET ${path}: the fields ${missing.join(', ')} are missing`);
  findings.check(foreign.length === 0, `GET ${path}: the fields ${foreign.join(', ')} are not documented`);
};

const checkFilters = async (
  findings: OperationCheck,
  path: string,
  { resource, fields }: Visible,
  record: ShownRecord | undefined,
): Promise<void> => {
  const totalOf = async (query: string) =>
    (await findings.expect([200], 'GET', withQuery(path, `${query}limit=1&count=true`)))?.headers['x-total-count'];
  // Null or not null: every record. Records may come and go meanwhile: the total is read before and after.
  for (const some of chunksOf(fields, 40)) {
    const before = await totalOf('');
    const all = await totalOf(some.map(({ name }) => `${name}[]=null,-null&`).join(''));
    if (all !== before)
      findings.check(all === (await totalOf('')), `GET ${path}: null and not null are ${all} of ${before} records`);
  }
  // The records of some listings show no key.
  if (!record || !(resource.key in record)) return;
  const scalars = fields.filter(
    ({ name, type }) => type !== 'json' && record[name] !== null && String(record[name]).length < 200,
  );
  for (const some of chunksOf(scalars, 15)) {
    const filters = some.map(({ name }) => {
      const text = printComparisons([{ kind: 'equal', not: false, value: String(record[name]) }]);
      return `${name}[]=${encodeURIComponent(text)}`;
    });
    const found = await findings.expect(
      [200],
      'GET',
      withQuery(path, `${filters.join('&')}&fields=${resource.key}&limit=1000`),
    );
    if (!found) continue;
    const has = found.body.some((other: ShownRecord) => other[resource.key] === record[resource.key]);
    if (has) continue;
    const now = await findings.ask('GET', withQuery(path, `${resource.key}=${record[resource.key]}`));
    const isSame = some.every(({ name }) => now.body?.[0]?.[name] === record[name]);
    findings.check(!isSame, `GET ${path}: a record is not found by its ${some.map(({ name }) => name).join(', ')}`);
  }
};

const checkSorts = async (findings: OperationCheck, path: string, fields: readonly Field[]): Promise<void> => {
  const sortable = fields.filter(({ type }) => type !== 'json');
  for (const sign of ['', '-'])
    for (const some of chunksOf(sortable, 10)) {
      const sort = some.map(({ name }) => sign + name).join(',');
      const [field] = some as [Field];
      const sorted = await findings.expect(
        [200],
        'GET',
        withQuery(path, `sort=${sort}&fields=${field.name}&limit=100`),
      );
      if (!sorted || !['integer', 'number', 'date', 'date_time', 'flag'].includes(field.type)) continue;
      const values = sorted.body
        .map((record: ShownRecord) => record[field.name])
        .filter((value: unknown) => value !== null);
      const inOrder = values.every((value: never, index: number) =>
        index === 0 ? true : sign === '' ? values[index - 1] <= value : values[index - 1] >= value,
      );
      findings.check(inOrder, `GET ${path}: sort=${sign}${field.name} is in another order`);
    }
};

const checkEmbeds = async (findings: OperationCheck, path: string, { relations }: Visible): Promise<void> => {
  const names = relations.flatMap(({ name, short, many }) =>
    [...new Set([name, short])].map(asked => ({ asked, many })),
  );
  for (const some of chunksOf(names, 5)) {
    const embed = some.map(({ asked }) => asked).join(',');
    const response = await findings.expect([200], 'GET', withQuery(path, `embed=${embed}`));
    if (!response) continue;
    for (const record of [response.body].flat())
      for (const { asked, many } of some)
        findings.check(
          asked in record && Array.isArray(record[asked]) === many,
          `GET ${path}: embed=${asked} is not embedded`,
        );
  }
};

const checkPages = async (findings: OperationCheck, path: string, { resource, fields }: Visible): Promise<void> => {
  const key = fields.some(({ name }) => name === resource.key) ? resource.key : null;
  const page = await findings.expect([200], 'GET', withQuery(path, `limit=2${key ? `&fields=${key}` : ''}`));
  const [, next] = /<\/api\/v1([^>]+)>; rel="next"/.exec(String(page?.headers.link ?? '')) ?? [];
  if (!page || !next) return;
  findings.check(page.body.length === 2, `GET ${path}: limit=2 has ${page.body.length} records`);
  const following = await findings.expect([200], 'GET', next);
  if (key === null || !following) return;
  const seen = new Set(page.body.map((record: ShownRecord) => record[key]));
  const isApart = following.body.every((record: ShownRecord) => !seen.has(record[key]));
  findings.check(isApart, `GET ${path}: a record is on two pages`);
};
