import type { FloorReader } from '../objects.ts';
import { type FloorPlan, gatheredAtOnce } from '../plans.ts';
import { type FloorStatement, inRoles, withKeys } from '../sent.ts';
import { settingsOf } from '../statements.ts';
import { type RawRows, type WireConnection, WirePool } from './connection.ts';
import { WireOutput, type WireWriter, writerOf } from './output.ts';

/** Reads rows as the protocol's bytes and writes them as JSON, on up to ten connections for each role. */
export const wireReader = (url: string): FloorReader => {
  const poolOf = inRoles(tenant => new WirePool(url, 10, settingsOf(tenant)));
  return plan => poolOf(plan.tenant).use(connection => readOn(connection, plan));
};

const begin: FloorStatement = { statement: 'begin', values: [] };
const commit: FloorStatement = { statement: 'commit', values: [] };

const readOn = async (connection: WireConnection, plan: FloorPlan): Promise<Buffer | null> => {
  const { writes, many, gathered, embeds } = plan;
  const [tenant = 0, id = 0] = plan.rows.values;
  const actionsOf = (ids: readonly string[]): FloorStatement => ({
    statement: 'open-actions',
    values: [tenant, `{${ids.join(',')}}`],
  });
  const known = gathered && !many ? [actionsOf([String(id)])] : [];
  const selected = plan.keys && textsOf((await connection.send(plan.keys))[0] as RawRows, 'id').slice(0, plan.limit);
  const reading = withKeys(plan.rows, selected);
  const first = writes.length > 0 ? [begin, ...writes, reading, ...known, commit] : [reading, ...known];
  const results = (await connection.send(...first)).slice(writes.length > 0 ? 1 + writes.length : 0);
  const [found] = results;
  if (!found) return null;
  if (found.rows.length > plan.limit) found.rows.pop();
  const [ids, ...keys] = ['id', ...embeds.map(({ from }) => from)].map(name => textsOf(found, name));
  const gathering = many && gathered ? partsOf(ids ?? []).map(actionsOf) : [];
  const embedding = embeds.map(
    ({ statement }, index): FloorStatement => ({
      statement,
      values: [tenant, `{${[...new Set(keys[index])].join(',')}}`],
    }),
  );
  const more =
    gathering.length + embedding.length > 0 ? await connection.send(...gathering, ...embedding) : results.slice(1);
  const actions = gathered ? valuesOf(many ? more.slice(0, gathering.length) : more.slice(0, 1)) : null;
  const out = new WireOutput();
  const depth = many ? 1 : 0;
  const groups = embeds.map(({ name, to: [, index], many }, embed) => ({
    prefix: Buffer.from(`,\n${'  '.repeat(depth + 1)}${JSON.stringify(name)}: `),
    rows: more[gathering.length + embed] as RawRows,
    groups: groupsOf(more[gathering.length + embed] as RawRows, index),
    keys: keys[embed] as readonly string[],
    many,
  }));
  const write = recordWriter(found, depth, actions && { ids: ids ?? [], actions });
  const writeEmbeds = groups.map(group => embedWriter(group, depth + 1));
  if (!many) {
    if (found.rows.length === 0) return null;
    write(out, 0, writeEmbeds);
    return out.written;
  }
  out.text('[');
  for (let row = 0; row < found.rows.length; row++) {
    out.text(row === 0 ? '\n  ' : ',\n  ');
    write(out, row, writeEmbeds);
  }
  out.text(found.rows.length === 0 ? ']' : '\n]');
  return out.written;
};

const partsOf = (ids: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / gatheredAtOnce) }, (_, part) =>
    ids.slice(part * gatheredAtOnce, (part + 1) * gatheredAtOnce),
  );

/** Returns the place of a row's field and its length; -1: null. */
const fieldAt = ({ bytes }: RawRows, row: number, index: number): [start: number, length: number] => {
  let at = row;
  for (let field = 0; ; field++) {
    const length = bytes.readInt32BE(at);
    if (field === index) return [at + 4, length];
    at += 4 + Math.max(length, 0);
  }
};

const textAt = (result: RawRows, row: number, index: number): string => {
  const [start, length] = fieldAt(result, row, index);
  return result.bytes.toString('latin1', start, start + length);
};

const textsOf = (result: RawRows, name: string): readonly string[] => {
  const index = result.columns.findIndex(column => column.name === name);
  return index < 0 ? [] : result.rows.map(row => textAt(result, row, index));
};

interface ValueBytes {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** The second field of each row by the first. */
const valuesOf = (results: readonly RawRows[]): ReadonlyMap<string, ValueBytes> => {
  const values = new Map<string, ValueBytes>();
  for (const result of results)
    for (const row of result.rows) {
      const [start, length] = fieldAt(result, row, 1);
      values.set(textAt(result, row, 0), { bytes: result.bytes, start, end: start + length });
    }
  return values;
};

const groupsOf = (result: RawRows, index: number): ReadonlyMap<string, readonly number[]> =>
  Map.groupBy(result.rows.keys(), row => textAt(result, result.rows[row] as number, index));

type WireRecordWriter = (
  out: WireOutput,
  row: number,
  after: readonly ((out: WireOutput, row: number) => void)[],
) => void;

const json: WireWriter = writerOf(114);

const recordWriter = (
  { columns, bytes, rows }: RawRows,
  depth: number,
  open: { readonly ids: readonly string[]; readonly actions: ReadonlyMap<string, ValueBytes> } | null,
): WireRecordWriter => {
  const parts = columns.map(({ name, type }, index) => ({
    prefix: Buffer.from(`${index === 0 ? '{' : ','}\n${'  '.repeat(depth + 1)}${JSON.stringify(name)}: `),
    write: writerOf(type),
    open: name === 'open_actions' ? open : null,
  }));
  const end = `\n${'  '.repeat(depth)}}`;
  return (out, row, after) => {
    let at = rows[row] as number;
    for (const { prefix, write, open } of parts) {
      const length = bytes.readInt32BE(at);
      at += 4;
      out.copy(prefix, 0, prefix.length);
      if (open) {
        const piece = open.actions.get(open.ids[row] as string) as ValueBytes;
        json(out, piece.bytes, piece.start, piece.end, depth + 1);
      } else if (length < 0) out.text('null');
      else write(out, bytes, at, at + length, depth + 1);
      at += Math.max(length, 0);
    }
    for (const write of after) write(out, row);
    out.text(end);
  };
};

const embedWriter = (
  embed: {
    readonly prefix: Buffer;
    readonly rows: RawRows;
    readonly groups: ReadonlyMap<string, readonly number[]>;
    readonly keys: readonly string[];
    readonly many: boolean;
  },
  depth: number,
): ((out: WireOutput, row: number) => void) => {
  const write = recordWriter(embed.rows, embed.many ? depth + 1 : depth, null);
  const [before, end] = [`\n${'  '.repeat(depth + 1)}`, `\n${'  '.repeat(depth)}]`];
  return (out, row) => {
    const group = embed.groups.get(embed.keys[row] as string) ?? [];
    out.copy(embed.prefix, 0, embed.prefix.length);
    if (!embed.many) return group[0] === undefined ? out.text('null') : write(out, group[0], []);
    for (const [index, found] of group.entries()) {
      out.text((index === 0 ? '[' : ',') + before);
      write(out, found, []);
    }
    out.text(group.length === 0 ? '[]' : end);
  };
};
