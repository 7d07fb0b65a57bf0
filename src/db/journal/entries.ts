import { chunksOf } from '../../core/chunks.ts';
import type { Origin } from '../../core/origin.ts';
import { tallies } from '../../core/tally.ts';
import type { RawResult, RawStatement } from '../connection.ts';
import type { ChangedRecord, Statement, Telling } from '../database.ts';
import type { Closing } from '../trips.ts';
import { journalTables } from './tables.ts';
import { type ChangeKind, externalIdColumn, fieldsColumn, idColumn, type Write, writeOf } from './write.ts';

/** A change of one record. */
interface Entry {
  readonly resource: string;
  readonly id: string;
  /** Undefined: the statement does not return it. */
  readonly externalId: string | null | undefined;
  readonly change: ChangeKind;
  /** Without `updated_at` if `touched` is given. */
  readonly fields: readonly string[];
  /** `updated_at` before it was set to the present: the field differs if a second has passed. */
  readonly touched?: string | null;
}

/** The entries of one statement, at their place among those of all; null: its result is not there yet. */
interface StatementEntries {
  entries: readonly Entry[] | null;
}

/** The journal entries of one transaction: what its statements change. */
export class Entries implements Closing {
  #places: StatementEntries[] = [];
  #stored: readonly Entry[] = [];
  readonly #tenantId: number;
  readonly #origin: Origin;

  constructor(tenantId: number, origin: Origin) {
    this.#tenantId = tenantId;
    this.#origin = origin;
  }

  /**
   * Enters the certain changes of statements, and returns the function that enters those in results.
   * @throws Error if a change could not be entered
   */
  entering(statements: readonly JournalledStatement[]): (results: readonly RawResult[]) => void {
    const waiting: [index: number, place: StatementEntries, entriesOf: (result: RawResult) => readonly Entry[]][] = [];
    for (const [index, statement] of statements.entries()) {
      const write = entered(statement);
      const { records, tells } = statement;
      if (!write && !tells) continue;
      const place: StatementEntries = { entries: (write && records?.map(record => entryOf(write, record))) ?? null };
      this.#places.push(place);
      if (place.entries !== null) continue;
      waiting.push([index, place, result => (write ? entriesOf(write, result) : tells ? told(tells, result) : [])]);
    }
    return results => {
      for (const [index, place, entriesOf] of waiting) place.entries = entriesOf(results[index] as RawResult);
    };
  }

  /** Whether everything is known that has to be entered. */
  get areKnown(): boolean {
    return this.#places.every(({ entries }) => entries !== null);
  }

  /** Runs a part of the transaction, whose entries are dropped if it throws. */
  async part<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#places.length;
    try {
      return await work();
    } catch (error) {
      this.#places.length = before;
      throw error;
    }
  }

  /** Adds the entries of a piece of work of the transaction. */
  add(others: Entries | null): void {
    if (others) this.#places.push(...others.#places);
  }

  /** Returns the statements that store the entries: one entry for each changed record. */
  statements(): readonly RawStatement[] {
    if (this.#places.length === 0) return [];
    const entries = [...this.#united().values()].filter(
      ({ change, fields, touched = null }) => change !== 'updated' || fields.length > 0 || touched !== null,
    );
    this.#stored = entries;
    const { by, requestId } = this.#origin;
    const shared = [this.#tenantId, by.type, by.id, requestId].map(value => (value === null ? null : String(value)));
    return chunksOf(entries, MAX_ROWS).map(chunk => {
      const isNamed = chunk.length <= MAX_NAMED;
      const touching = chunk.map(({ touched = null }) => isNamed || touched !== null);
      return {
        name: isNamed ? `journal_${chunk.length}` : null,
        text: isNamed ? (named[chunk.length - 1] as string) : insertOf(touching),
        values: [
          ...shared,
          ...chunk.flatMap(({ resource, id, externalId, change, fields, touched = null }, index) => [
            ...[resource, id, externalId ?? null, change],
            `{${fields.map(name => `"${name}"`).join(',')}}`,
            ...(touching[index] ? [touched] : []),
          ]),
        ],
      };
    });
  }

  /** Counts what the last `statements` have stored. */
  committed(): void {
    for (const { change } of this.#stored) tallies.changes.add(change);
  }

  /** The entries by record, united. A record that was created and deleted has none. */
  #united(): Map<string, Entry> {
    const united = new Map<string, Entry>();
    for (const entry of this.#places.flatMap(({ entries }) => entries ?? [])) {
      const key = `${entry.resource}/${entry.id}`;
      const earlier = united.get(key);
      if (earlier?.change === 'created' && entry.change === 'deleted') united.delete(key);
      else united.set(key, earlier ? unite(earlier, entry) : entry);
    }
    return united;
  }
}

/** A statement with what it says of its changes. */
export type JournalledStatement = RawStatement & Pick<Statement, 'fields' | 'records' | 'tells'>;

const entryOf = (
  { table, change, fields: set }: Write,
  { resource, id, externalId, fields = set, touched = null }: ChangedRecord,
): Entry =>
  resource === undefined
    ? { resource: table.resource, id, externalId, change, fields, touched }
    : { resource, id, externalId, change: 'updated', fields, touched };

/** What a read has returned of records. */
const told = ({ table, differing }: Telling, { rows }: RawResult): readonly Entry[] => {
  const resource = journalTables.get(table)?.resource ?? table;
  return differing(rows).map(record => ({ ...record, resource, externalId: undefined, change: 'updated' }));
};

const entriesOf = (write: Write, { columns, rows }: RawResult): readonly Entry[] => {
  const id = columns.indexOf(idColumn);
  if (id < 0) throw new Error(`A statement that changes ${write.table.resource} does not return ids for the journal.`);
  const externalId = columns.indexOf(externalIdColumn);
  const more = columns.indexOf(fieldsColumn);
  return rows.map(row => {
    const fields = more < 0 ? write.fields : namesIn(row[more] ?? '{}');
    return entryOf({ ...write, fields }, { id: String(row[id]), externalId: row[externalId] });
  });
};

/** The change that a statement makes, with the fields that it names itself; null: nothing to enter. */
const entered = ({ text, fields }: JournalledStatement): Write | null => {
  const write = writeOf(text);
  if (!write?.table.beside) return write && fields ? { ...write, fields: [...write.fields, ...fields] } : write;
  if (!fields) throw new Error('A statement that changes fields of tenants must name them, for the journal.');
  return fields.length > 0 ? { ...write, fields } : null;
};

/** The names in an array literal: fields (`wage_type.name`) and categories (`:pay`) need no quotes. */
const namesIn = (literal: string): readonly string[] => literal.match(/[\w.:]+/g) ?? [];

const unite = (earlier: Entry, later: Entry): Entry => ({
  ...later,
  externalId: later.externalId === undefined ? earlier.externalId : later.externalId,
  change: later.change === 'updated' ? earlier.change : later.change,
  fields: later.change === 'deleted' ? later.fields : [...new Set([...earlier.fields, ...later.fields])],
  touched: later.change === 'deleted' ? null : (earlier.touched ?? later.touched ?? null),
});

/** Statements with up to this number of rows are prepared. */
const MAX_NAMED = 4;

/** The number of entries of one insert: a bulk change of 500 records has one, whatever follows from it. */
const MAX_ROWS = 5_000;

/**
 * Inserts entries.
 * Postgres replaces each call of a function in SQL by what is in it, which takes longer than all the rest of a row.
 * @param touching for each entry, whether it has a time of the record's last change before
 */
const insertOf = (touching: readonly boolean[]): string => {
  let last = 4;
  const next = () => `$${++last}`;
  const rows = touching.map(touched => {
    const values = `($1::bigint, $2, $3::bigint, $4, ${next()}, ${next()}, ${next()}, ${next()}`;
    const fields = `${next()}::text[]`;
    return touched
      ? `${values}, touched_fields(${fields}, ${next()}::timestamptz, date_trunc('second', tenant_now())))`
      : `${values}, ${fields})`;
  });
  return `insert into journal (tenant_id, by_type, by_id, request_id, resource, id, external_id, change, fields) \
values ${rows.join(', ')}`;
};

/** The texts of the named inserts: each entry can have a time of the last change. */
const named = Array.from({ length: MAX_NAMED }, (_, index) => insertOf(Array<boolean>(index + 1).fill(true)));
