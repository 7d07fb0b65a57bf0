import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';
import type { Result, Statement } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import { NEARBY } from './kind.ts';
import { selectPlaced, selectPlanned, selectSites } from './pieces.ts';

/** An event function, and how far around it work is read. */
export interface Around {
  readonly place: number;
  /** Minutes before its start and after its end, planned or recorded; infinitely many: all work. */
  readonly minutes: number;
  /** The employees; null: all who are active. */
  readonly among: readonly number[] | null;
  /** Whether to read what scopes of rules ask of employees. */
  readonly withPeople: boolean;
  /** Whether to read what scopes of rules ask of work. */
  readonly withPlaces: boolean;
}

/** The values of the statement. */
interface AroundValues {
  readonly place: number;
  readonly minutes: number | null;
  /** An array literal. */
  readonly among: string;
}

/** The status of employees who can be candidates. */
const ACTIVE = 4;

const spans = ['start', 'end', 'break_start', 'break_end'] as const;
const sites = ['functionId', 'clientId', 'locationId', 'countryId', 'wageProfileId'] as const;

/** The columns of each part: the event function, booked and recorded work, busy dates, employees. */
const columns = {
  place: [...spans, ...sites, 'defaultProfileId'],
  work: ['id', 'employee_id', ...spans, ...sites],
  recorded: ['assignment_id', ...spans],
  busy: ['id', 'employee_id', 'start', 'end'],
  people: ['id', 'wageProfileId', 'qualifications', 'birthday'],
} as const;

type AroundPart = keyof typeof columns;

/** Values other than numbers. */
interface OtherValues {
  readonly qualifications: readonly number[];
  readonly birthday: string | null;
}

/**
 * What is read, by part and column: what has the same index is of the same row.
 * Instants are in seconds since 1970. Columns that were not asked for are empty.
 */
export type WorkAround = {
  readonly [P in AroundPart]: {
    readonly [Name in (typeof columns)[P][number]]: readonly (Name extends keyof OtherValues
      ? OtherValues[Name]
      : number | null)[];
  };
};

/**
 * Builds parts that select from others by their names.
 * They are bound to the tenant with the whole statement.
 */
// biome-ignore lint/suspicious/noExplicitAny: names of queries, not of tables
type Parts = Kysely<any>;

type AroundShape = Pick<Around, 'withPeople' | 'withPlaces'> & { readonly isAmong: boolean };

const around = ({ isAmong, withPeople, withPlaces }: AroundShape) =>
  prepare((db, values: AroundValues) => {
    const parts = db.withoutPlugins();
    const named: Parts = parts;
    const bound = (name: string) => named.selectFrom('bounds').select(sql<string>`${sql.ref(name)}`.as('bound'));
    const [begins, ends] = [bound('begins'), bound('ends')];
    // Work can be recorded nearer than it is planned: assignments are read as far as writes read them.
    const recordedNear = parts
      .selectFrom('work_times as u')
      .select('u.event_function_employee_id')
      .where('u.start', '>', bound('recorded'))
      .where('u.start', '<', ends)
      .where('u.end', '>', begins);
    const one = (column: string): RawBuilder<SqlBool> => sql`${sql.ref(column)} = any(${values.among}::bigint[])`;
    const booked = (withPlaces ? selectPlaced(parts) : selectPlanned(parts)) as ReturnType<typeof selectPlanned>;
    const wanted = (Object.keys(columns) as AroundPart[]).filter(part => part !== 'people' || withPeople);
    const read = wanted.map(part =>
      columnsOf(named, part, part === 'work' && !withPlaces ? ['id', 'employee_id', ...spans] : columns[part]).as(part),
    );
    return db
      .with('place', () => selectPlace(parts, values.place))
      .with('bounds', () => selectBounds(named, values.minutes))
      .with('work', () =>
        booked
          .$if(isAmong, query => query.where(one('a.employee_id')))
          .where('a.effective_end', '>', bound('first'))
          .where('a.effective_start', '<', bound('last'))
          .where(({ and, eb, or }) =>
            or([
              and([eb('a.effective_end', '>', begins), eb('a.effective_start', '<', ends)]),
              eb('a.id', '=', sql<number>`any(array(${recordedNear}))`),
            ]),
          ),
      )
      .with('recorded', () =>
        parts
          .selectFrom('work_times as u')
          .select(['u.event_function_employee_id as assignment_id', ...spans.map(name => `u.${name}` as const)])
          .where('u.event_function_employee_id', 'in', named.selectFrom('work').select('id')),
      )
      .with('busy', () =>
        parts
          .selectFrom('busy_dates')
          .select(['id', 'employee_id', 'start', 'end'])
          .where('counts_as_work', '=', true)
          .$if(isAmong, query => query.where(one('employee_id')))
          .where('end', '>', begins)
          .where('start', '<', ends),
      )
      .with('people', () =>
        parts
          .selectFrom('employees')
          .select(['id', 'wage_profile_id as wageProfileId', 'qualifications', 'birthday'])
          .where(isAmong ? one('id') : sql<SqlBool>`status = ${sql.lit(ACTIVE)}`),
      )
      .selectFrom(named.selectFrom(read).selectAll().as('around'))
      .selectAll();
  });

const instants: ReadonlySet<string> = new Set(spans);

/** Selects the columns of a part as one row of JSON arrays, which are read faster than as many rows. */
const columnsOf = (named: Parts, part: AroundPart, names: readonly string[]) =>
  named
    .selectFrom(part)
    .select(
      names.map(name =>
        sql`json_agg(${instants.has(name) ? sql`date_part('epoch', ${sql.ref(name)})` : sql.ref(name)})`.as(
          `${part}.${name}`,
        ),
      ),
    );

const selectPlace = (db: Kysely<Tables>, place: number) =>
  selectSites(db)
    .select([
      sql<string>`coalesce(f.start, e.start)`.as('start'),
      sql<string>`coalesce(f."end", e."end")`.as('end'),
      sql<string | null>`coalesce(f.break_start, e.break_start)`.as('break_start'),
      sql<string | null>`coalesce(f.break_end, e.break_end)`.as('break_end'),
    ])
    .where('f.id', '=', place);

/**
 * Selects what bounds work around the event function; from `recorded` on, how far writes read it.
 * Row security keeps Postgres from using an index for an expression such as `coalesce`, but not for its value.
 */
const selectBounds = (named: Parts, minutes: number | null) => {
  const more = sql`make_interval(mins => ${minutes}::integer)`;
  const nearby = sql`make_interval(days => ${sql.lit(NEARBY)})`;
  const nearest = named
    .selectFrom('place')
    .select([
      'start',
      'end',
      sql`coalesce("start" - ${more}, '-infinity')`.as('begins'),
      sql`coalesce("end" + ${more}, 'infinity')`.as('ends'),
    ]);
  return named
    .selectFrom(nearest.as('nearest'))
    .select([
      'begins',
      'ends',
      sql`begins - ${nearby}`.as('recorded'),
      sql`least(begins, "start" - ${nearby})`.as('first'),
      sql`greatest(ends, "end" + ${nearby})`.as('last'),
    ]);
};

const queries = new Map<string, ReturnType<typeof around>>();

const queryFor = (wanted: AroundShape) => {
  const key = JSON.stringify(wanted);
  const query = queries.get(key) ?? around(wanted);
  queries.set(key, query);
  return query;
};

/**
 * Returns the statement that reads an event function and the work of employees around it.
 * Work is bookings, and busy dates that count as work. It is one statement, however many employees there are.
 */
export const aroundStatement = (
  { place, minutes, among, withPeople, withPlaces }: Around,
  tenantId: number,
): Statement => {
  const query = queryFor({ isAmong: among !== null, withPeople, withPlaces });
  const { values, ...statement } = query({
    place,
    minutes: Number.isFinite(minutes) ? minutes : null,
    among: literal(among ?? []),
  }).for(tenantId);
  return { ...statement, values: values.map(value => (value === null ? null : String(value))) };
};

/** Returns what the statement has read. */
export const aroundRead = ({ columns: names, rows: [row] }: Result): WorkAround => {
  const cells = new Map(names.map((name, index) => [name, row?.[index] ?? '[]']));
  const read = Object.entries(columns).map(([part, own]) => [
    part,
    Object.fromEntries(own.map(name => [name, JSON.parse(cells.get(`${part}.${name}`) ?? '[]')])),
  ]);
  return Object.fromEntries(read) as WorkAround;
};
