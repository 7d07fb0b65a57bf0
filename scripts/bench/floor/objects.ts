import pg from 'pg';
import { type FloorEmbed, type FloorPlan, gatheredAtOnce } from './plans.ts';
import { type FloorStatement, inRoles, withKeys } from './sent.ts';
import { settingsOf, textOf } from './statements.ts';

type ParsedRow = Record<string, unknown>;

/** Reads what a plan names and returns it as JSON; null: there is no such record. */
export type FloorReader = (plan: FloorPlan) => Promise<string | Buffer | null>;

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.BOOL]: text => (text === 't' ? 1 : 0),
  [pg.types.builtins.INT8]: Number,
  [pg.types.builtins.NUMERIC]: Number,
  [pg.types.builtins.DATE]: text => text,
  [pg.types.builtins.TIMESTAMPTZ]: text => `${text.slice(0, 10)}T${text.slice(11, -3)}Z`,
};
const types = {
  getTypeParser: (type: number, format?: 'text') => parsers[type] ?? pg.types.getTypeParser(type, format),
} as unknown as pg.CustomTypesConfig;

/** Reads with the objects of `pg` and `JSON.stringify`, on up to ten connections for each role. */
export const objectReader = (url: string): FloorReader => {
  const poolOf = inRoles(tenant => {
    const pool = new pg.Pool({ connectionString: url, max: 10, idleTimeoutMillis: 0, types, pipeline: true });
    return pool.on('connect', client => client.query(settingsOf(tenant)));
  });
  return async plan => {
    const client = await poolOf(plan.tenant).connect();
    try {
      const rows = await rowsOf(plan, client);
      return plan.many ? JSON.stringify(rows, null, 2) : rows[0] ? JSON.stringify(rows[0], null, 2) : null;
    } finally {
      client.release();
    }
  };
};

const rowsOf = async (plan: FloorPlan, client: pg.PoolClient): Promise<readonly ParsedRow[]> => {
  const send = ({ statement, values, unnamed }: FloorStatement) =>
    client.query<ParsedRow>({
      ...(!unnamed && { name: statement }),
      text: textOf(statement),
      values: [...values],
    });
  const [tenant = 0, id = 0] = plan.rows.values;
  const actionsOf = (ids: readonly unknown[]) =>
    send({ statement: 'open-actions', values: [tenant, `{${ids.join(',')}}`] });
  const writes = plan.writes.length > 0 ? [client.query(textOf('begin')), ...plan.writes.map(send)] : [];
  const ids = plan.keys && (await send(plan.keys)).rows.slice(0, plan.limit).map(({ id }) => id);
  const reading = send(withKeys(plan.rows, ids));
  const known = plan.many || !plan.gathered ? null : actionsOf([id]);
  if (writes.length > 0) writes.push(client.query(textOf('commit')));
  await Promise.all(writes);
  const { rows } = await reading;
  if (rows.length > plan.limit) rows.pop();
  if (!plan.gathered) return rows;
  const parts = Array.from({ length: Math.ceil(rows.length / gatheredAtOnce) }, (_, part) =>
    rows.slice(part * gatheredAtOnce, (part + 1) * gatheredAtOnce),
  );
  const gathering = known ? [known] : parts.map(part => actionsOf(part.map(row => row.id)));
  const embedding = plan.embeds.map(({ statement, from }) =>
    send({ statement, values: [tenant, `{${[...new Set(rows.map(row => row[from]))].join(',')}}`] }),
  );
  const actions = new Map((await Promise.all(gathering)).flatMap(({ rows }) => rows.map(row => [row.id, row.value])));
  for (const row of rows) row.open_actions = actions.get(row.id);
  for (const [index, embed] of plan.embeds.entries()) put(embed, rows, (await embedding[index])?.rows ?? []);
  return rows;
};

const put = (
  { name, from, to: [to], many }: FloorEmbed,
  rows: readonly ParsedRow[],
  found: readonly ParsedRow[],
): void => {
  const groups = Map.groupBy(found, row => row[to]);
  for (const row of rows) {
    const group = groups.get(row[from]) ?? [];
    row[name] = many ? group : (group[0] ?? null);
  }
};
