import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../../generated/tables.ts';
import type { Result, Statement } from '../../db/database.ts';
import { literal } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import { NEARBY } from './kind.ts';
import { selectPieces, selectSites } from './pieces.ts';

/** An event function, and how far around it work is read. */
export interface Around {
  readonly place: number;
  /** Minutes before its start and after its end, planned or recorded; infinitely many: all work. */
  readonly minutes: number;
  /** The employees; null: all who are active. */
  readonly among: readonly number[] | null;
  /** Whether to read what scopes of rules ask of employees. */
  readonly withPeople: boolean;
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

/** A column of a row: in each of the queries named, in this order; null in the others. */
const columns = {
  id: ['place', 'work', 'busy'],
  employee_id: ['work', 'busy', 'people'],
  start: ['place', 'work', 'busy'],
  end: ['place', 'work', 'busy'],
  break_start: ['place', 'work'],
  break_end: ['place', 'work'],
  functionId: ['place', 'work'],
  clientId: ['place', 'work'],
  locationId: ['place', 'work'],
  countryId: ['place', 'work'],
  wageProfileId: ['place', 'work', 'people'],
  defaultProfileId: ['place'],
  worked: ['work'],
  qualifications: ['people'],
  birthday: ['people'],
} as const;

type AroundPart = 'place' | 'work' | 'busy' | 'people';
type AroundColumn = keyof typeof columns;
const names = Object.keys(columns) as readonly AroundColumn[];

const types: Readonly<Partial<Record<AroundColumn, string>>> = {
  worked: 'jsonb',
  qualifications: 'jsonb',
  birthday: 'date',
};
const instants: ReadonlySet<AroundColumn> = new Set(['start', 'end', 'break_start', 'break_end']);

/**
 * A row of work around an event function.
 * It is the function itself, a booking, a busy date that counts as work, or an employee.
 */
export interface AroundRow {
  readonly part: AroundPart;
  readonly id: number | null;
  readonly employee_id: number | null;
  /** Seconds since 1970: they are read faster than instants. */
  readonly start: number | null;
  readonly end: number | null;
  readonly break_start: number | null;
  readonly break_end: number | null;
  readonly functionId: number | null;
  readonly clientId: number | null;
  readonly locationId: number | null;
  readonly countryId: number | null;
  readonly wageProfileId: number | null;
  readonly defaultProfileId: number | null;
  readonly worked: readonly RecordedTimes[] | null;
  readonly qualifications: readonly number[] | null;
  readonly birthday: string | null;
}

/** A work time in JSON, as instants. */
interface RecordedTimes {
  readonly start: string;
  readonly end: string;
  readonly break_start: string | null;
  readonly break_end: string | null;
}

/**
 * Builds parts that select from others by their names.
 * They are bound to the tenant with the whole statement.
 */
// biome-ignore lint/suspicious/noExplicitAny: names of queries, not of tables
type Parts = Kysely<any>;

const around = ({ among, withPeople }: Pick<Around, 'among' | 'withPeople'>) =>
  prepare((db, values: AroundValues) => {
    const parts = db.withoutPlugins();
    const named: Parts = parts;
    const more = sql`make_interval(mins => ${values.minutes}::integer)`;
    const nearby = sql`make_interval(days => ${sql.lit(NEARBY)})`;
    const [first, last] = [named.selectFrom('place').select('start'), named.selectFrom('place').select('end')];
    const begins = sql<string>`coalesce(${first} - ${more}, '-infinity')`;
    const ends = sql<string>`coalesce(${last} + ${more}, 'infinity')`;
    // Work can be recorded nearer than it is planned: assignments are read as far as writes read them.
    const recorded = parts
      .selectFrom('work_times as u')
      .select('u.event_function_employee_id')
      .where('u.start', '>', sql<string>`${begins} - ${nearby}`)
      .where('u.start', '<', ends)
      .where('u.end', '>', begins);
    const wanted = (column: string, status: string): RawBuilder<SqlBool> =>
      among === null
        ? sql`${sql.ref(status)} = ${sql.lit(ACTIVE)}`
        : sql`${sql.ref(column)} = any(${values.among}::bigint[])`;
    const others: readonly AroundPart[] = ['work', 'busy', ...(withPeople ? (['people'] as const) : [])];
    const rows = others.reduce((all, part) => all.unionAll(rowsOf(named, part)), rowsOf(named, 'place'));
    return db
      .with('place', () => selectPlace(parts, values.place))
      .with('work', () =>
        selectPieces(parts)
          .where(wanted('a.employee_id', 'w.status'))
          .where('a.effective_end', '>', sql<string>`least(${begins}, ${first} - ${nearby})`)
          .where('a.effective_start', '<', sql<string>`greatest(${ends}, ${last} + ${nearby})`)
          .where(({ and, eb, or }) =>
            or([
              and([eb('a.effective_end', '>', begins), eb('a.effective_start', '<', ends)]),
              eb('a.id', '=', sql<number>`any(array(${recorded}))`),
            ]),
          ),
      )
      .with('busy', () =>
        parts
          .selectFrom('busy_dates')
          .select(['id', 'employee_id', 'start', 'end'])
          .where('counts_as_work', '=', true)
          .$if(among !== null, query => query.where(wanted('employee_id', '')))
          .where('end', '>', begins)
          .where('start', '<', ends),
      )
      .with('people', () =>
        parts
          .selectFrom('employees')
          .select(['id as employee_id', 'wage_profile_id as wageProfileId', 'qualifications', 'birthday'])
          .where(wanted('id', 'status')),
      )
      .selectFrom(rows.as('around'))
      .selectAll();
  });

/** Selects the rows of a query. */
const rowsOf = (named: Parts, part: AroundPart) =>
  named
    .selectFrom(part)
    .select(sql<AroundPart>`${sql.lit(part)}`.as('part'))
    .select(names.map(name => columnOf(name, part)))
    .$castTo<AroundRow>();

const columnOf = (name: AroundColumn, part: AroundPart) => {
  const has = (columns[name] as readonly AroundPart[]).includes(part);
  if (!has) return sql`null::${sql.raw(types[name] ?? 'bigint')}`.as(name);
  return (instants.has(name) ? sql`extract(epoch from ${sql.ref(name)})::bigint` : sql`${sql.ref(name)}`).as(name);
};

const selectPlace = (db: Kysely<Tables>, place: number) =>
  selectSites(db)
    .select([
      sql<string>`coalesce(f.start, e.start)`.as('start'),
      sql<string>`coalesce(f."end", e."end")`.as('end'),
      sql<string | null>`coalesce(f.break_start, e.break_start)`.as('break_start'),
      sql<string | null>`coalesce(f.break_end, e.break_end)`.as('break_end'),
    ])
    .where('f.id', '=', place);

const queries = {
  all: around({ among: null, withPeople: false }),
  allWithPeople: around({ among: null, withPeople: true }),
  some: around({ among: [], withPeople: true }),
};

/**
 * Returns the statement that reads an event function and the work of employees around it.
 * Work is bookings, and busy dates that count as work. It is one statement, however many employees there are.
 */
export const aroundStatement = ({ place, minutes, among, withPeople }: Around, tenantId: number): Statement => {
  const query = among === null ? queries[withPeople ? 'allWithPeople' : 'all'] : queries.some;
  const { values, ...statement } = query({
    place,
    minutes: Number.isFinite(minutes) ? minutes : null,
    among: literal(among ?? []),
  }).for(tenantId);
  return { ...statement, values: values.map(value => (value === null ? null : String(value))) };
};

/** What reads the text of a column's value; omitted: a number. */
const parsers: Readonly<Partial<Record<AroundColumn, (text: string) => unknown>>> = {
  worked: text => JSON.parse(text),
  qualifications: text => JSON.parse(text),
  birthday: text => text,
};
const readers = names.map(name => ({ name, parse: parsers[name] ?? Number }));

/** Returns the rows of the statement's result, that of the event function first. */
export const aroundRows = ({ rows }: Result): readonly AroundRow[] => {
  const read = rows.map(([part, ...cells]) => {
    const row: Record<string, unknown> = { part };
    for (const [index, { name, parse }] of readers.entries()) {
      const text = cells[index] ?? null;
      row[name] = text === null ? null : parse(text);
    }
    return row as unknown as AroundRow;
  });
  return [...read.filter(({ part }) => part === 'place'), ...read.filter(({ part }) => part !== 'place')];
};
