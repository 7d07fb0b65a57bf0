import { resources } from '../../../generated/resources.ts';
import { createTenantFields } from '../../../src/attributes/tenant-fields.ts';
import { defaultLimits } from '../../../src/core/call/limits.ts';
import type { Parameter } from '../../../src/core/call/parameter.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { Tenant } from '../../../src/core/principal.ts';
import { type FieldSet, sourceField } from '../../../src/core/resource/fields.ts';
import type { Field, FieldType, Resource } from '../../../src/core/resource/resource.ts';
import type { TenantDb } from '../../../src/db/database.ts';
import type { Database } from '../../../src/db/open.ts';
import { type PlanContext, plan, type ReadPlan } from '../../../src/query/plan.ts';
import type { Condition } from '../../../src/query/predicate.ts';
import { parseQuery } from '../../../src/query/query.ts';
import { readPage } from '../../../src/query/read.ts';
import { document, type PathOperation } from '../../../test/support/conformance/document.ts';
import { clockOf } from './clock.ts';
import { type ListingShape, type Samples, shapesOf } from './shapes.ts';

/** How long the runs of one shape took. */
export interface Walked {
  readonly label: string;
  /**
   * Milliseconds that the server's process computed for each run, or that the run took.
   * The latter where the server is not on this machine. Infinite for a run that failed; no runs follow it.
   */
  readonly runs: readonly number[];
}

/** Milliseconds up to which no run counts as slow, whatever the first one took. */
const noise = 20;

/** Whether a later run took over five times as long as the first one. */
export const isViolation = ({ runs: [first = 0, ...later] }: Walked): boolean =>
  !Number.isFinite(first) || later.some(run => run > Math.max(5 * first, noise));

/**
 * Asks every listing everything that it can be asked, each shape ten times on the same connection.
 * @param database with a pool of one connection, so that each shape is planned as often as it is asked
 * @param only names of resources; empty: all of them
 */
export async function* walk(database: Database, tenant: Tenant, only: readonly string[] = []): AsyncGenerator<Walked> {
  const db = database.forTenant(tenant);
  const { fields } = await createTenantFields(resources).read(db);
  const schema: PlanContext = { resources, fields, limits: defaultLimits, principal: { tenant } };
  const clock = await clockOf(db);
  for (const resource of Object.values(resources) as Resource[]) {
    if (only.length > 0 && !only.includes(resource.name)) continue;
    const set = fields.get(resource);
    const asked: WalkedListing = { resource, below: await belowOf(set, db), schema };
    for (const shape of shapesOf(set, await samplesOf(asked, set, db)))
      yield { label: shape.label, runs: await runsOf(shape, asked, db, clock) };
  }
}

/** Whether an error is more than the rejection of a request, such as one that embeds too much. */
export const isFailure = (error: unknown): boolean => !(error instanceof ApiError && error.status < 500);

/** Runs of each shape. */
export const repetitions = 10;

const runsOf = async (
  shape: ListingShape,
  asked: WalkedListing,
  db: TenantDb,
  clock: () => number,
): Promise<number[]> => {
  const runs: number[] = [];
  const first = shape.paged ? await readPage(planOf(asked, shape.parameters(1), null), db).catch(() => null) : null;
  for (let run = 1; run <= repetitions; run++) {
    const listing = planOf(asked, shape.parameters(run), first?.next ?? null);
    const from = clock();
    try {
      await readPage(listing, db);
      runs.push(clock() - from);
    } catch (error) {
      if (isFailure(error)) return [...runs, Number.POSITIVE_INFINITY];
      runs.push(clock() - from);
    }
  }
  return runs;
};

/** A listing that is asked: of all records, or of those below one. */
interface WalkedListing {
  readonly resource: Resource;
  readonly below: readonly Condition[];
  readonly schema: PlanContext;
}

const planOf = (
  { resource, below, schema }: WalkedListing,
  parameters: readonly Parameter[],
  cursor: string | null,
): ReadPlan => {
  const query = parseQuery(cursor === null ? parameters : [...parameters, ['cursor', cursor]]);
  const listing = plan(query, resource, schema);
  return {
    ...listing,
    conditions: [...below, ...listing.conditions],
    given: listing.given.length > 0 ? [listing.given[0] ?? null, '1'] : [],
  };
};

/** The condition of a listing below other records: the one with most. Functions get the first one. */
const belowOf = async (set: FieldSet, db: TenantDb): Promise<readonly Condition[]> => {
  const { name, source, called } = set.resource;
  const listings = Object.values(document.paths)
    .flatMap(({ get }) => (get as ListingOperation | undefined) ?? [])
    .filter(get => get['x-verb'] === 'list' && get['x-resource'] === name);
  const [parent] = listings.flatMap(get => get['x-parent'] ?? []);
  if (!parent || called || listings.some(get => !get['x-parent'])) return [];
  const text = `select "${parent.field}" from ${source} group by 1 order by count(*) desc limit 1`;
  const [result] = await db.read({ name: null, text, values: [] });
  const id = result?.rows[0]?.[0] ?? '1';
  return [{ field: sourceField(set, parent.field), any: [{ kind: 'equal', not: false, values: [id] }] }];
};

/** The annotations of listings in the document. */
type ListingOperation = PathOperation & {
  readonly 'x-verb'?: string;
  readonly 'x-resource'?: string;
  readonly 'x-parent'?: { readonly field: string };
};

/** Values of the first thousand records. */
const samplesOf = async (asked: WalkedListing, set: FieldSet, db: TenantDb): Promise<Samples> => {
  const listing = planOf(asked, [['limit', '1000']], null);
  const { records } = (await readPage(listing, db)).representation;
  const valuesOf = ({ type }: Field, index: number) =>
    records.flatMap(cells => {
      const text = cells.text(index);
      return text === null ? [] : [written(type, text)];
    });
  return new Map(set.fields.map((field, index) => [field.name, [...new Set(valuesOf(field, index))]]));
};

/** A value in Postgres's text format as it is written in a filter. */
const written = (type: FieldType, text: string): string => {
  if (type === 'flag') return text === 't' ? '1' : '0';
  return type === 'date_time' ? text.replace(' ', 'T').replace(/\+00$/, 'Z') : text;
};
