import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { generateKeySet } from '../../src/tenancy/keys.ts';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { shortRules } from '../../test/support/short-rules.ts';
import { type Contestant, startContest } from './contestants.ts';
import { type BenchTenant, fillTenants, listedTenant, settle } from './data.ts';
import { sendTo } from './load.ts';
import { cpuOf } from './processes.ts';
import { median } from './report.ts';

/** How much is measured: turns of each way, and the requests of one. */
const extents = {
  whole: { rounds: 9, changes: 150, lists: 6 },
  short: { rounds: 1, changes: 20, lists: 2 },
} as const;

const long = [{ kind: 'average_hours', parameters: { minutes: 2880, weeks: 24 } }];

/** The ways that are compared with none, and how many times as much each may cost. */
const ways = {
  none: { rules: [], change: 1, candidates: 1 },
  'eight short rules': { rules: shortRules, change: 1.15, candidates: 2 },
  'an average': { rules: long, change: 1.5, candidates: Number.POSITIVE_INFINITY },
} as const;
type WayName = keyof typeof ways;
const names = Object.keys(ways) as WayName[];

/** A server, the process of its database server (null: elsewhere), and the tenant. */
interface RuledServer {
  readonly server: Contestant;
  readonly postgres: number | null;
  readonly tenant: BenchTenant;
}

/**
 * `npm run bench rules -- [--short]`:
 * CPU, Postgres included, of a change of status that books, and of a page of candidates, in a tenant of 200,000 assignments without working-time
 * rules, with eight short ones and with an average of weeks, in turns. On a temporary Postgres server or the one at DATABASE_URL.
 * @returns the exit status: 1 if one costs more than it may
 */
export const reportRules = async (args: readonly string[], print = console.log): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: { short: { type: 'boolean', default: false } } });
  const { rounds, changes, lists } = extents[values.short ? 'short' : 'whole'];
  const url = process.env.DATABASE_URL ?? (await startPostgres());
  const keys = generateKeySet('HS256');
  const [tenant] = (await fillTenants(url, [listedTenant(values.short)], keys)) as [BenchTenant];
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const postgres = await settle(client, [tenant]);
  await client.end();
  const contest = await startContest(url, keys, [tenant], { CONFLICTS: 'false', STATEMENT_TIMEOUT: '60000' });
  try {
    const measured: RuledServer = { server: contest.contestants[0] as Contestant, postgres, tenant };
    const rules = await addRules(measured);
    const ids = spread(tenant.changeable, changes);
    const places = spread(tenant.listed?.eventFunctions ?? [], lists);
    const found = new Map(names.map(name => [name, { change: [] as number[], candidates: [] as number[] }]));
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round++)
      // None is always the first.
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        await setRules(rules, name, measured);
        const change = await costOfChanges(ids, measured);
        const candidates = await costOfCandidates(places, measured);
        if (round === 0) continue;
        found.get(name)?.change.push(change);
        found.get(name)?.candidates.push(candidates);
      }
    const lines = ruleLines(found);
    for (const { line } of lines) print(line);
    return lines.every(({ within }) => within) ? 0 : 1;
  } finally {
    await contest.end();
  }
};

type Costs = Readonly<Record<'change' | 'candidates', readonly number[]>>;

/** Returns the lines of the report: medians in ms, and the medians of the ratios in each round. */
export const ruleLines = (found: ReadonlyMap<WayName, Costs>): readonly { line: string; within: boolean }[] =>
  (['change', 'candidates'] as const).flatMap(what =>
    names.map(name => {
      const own = found.get(name)?.[what] ?? [];
      const without = found.get('none')?.[what] ?? [];
      // Of the same round, since a shared machine is not equally fast in all of them.
      const ratio = median(own.map((cost, round) => cost / (without[round] as number)));
      const most = ways[name][what];
      const title = what === 'change' ? 'a change of status' : 'a page of candidates';
      const says =
        name === 'none' ? '' : `, ${ratio.toFixed(2)} times${Number.isFinite(most) ? ` (at most ${most})` : ''}`;
      return { line: `${title}, rules: ${name}: ${median(own).toFixed(2)} ms${says}`, within: !(ratio > most) };
    }),
  );

/** Returns so many of a list, at equal distances. */
const spread = (all: readonly number[], count: number): readonly number[] =>
  Array.from(
    { length: Math.min(count, all.length) },
    (_, index) => all[Math.floor((index * all.length) / count)] as number,
  );

const ask = async (
  { server, tenant }: RuledServer,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
): Promise<Buffer> => {
  const response = await sendTo(server.port, { tenant, method, path, ...(body && { body }) });
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status}`);
  return response.body;
};

/** Adds the rules of all ways, without effect. */
const addRules = async (measured: RuledServer): Promise<ReadonlyMap<number, WayName | null>> => {
  const listed = JSON.parse(gunzipSync(await ask(measured, 'GET', '/work-rules')).toString()) as { id: number }[];
  const rules = new Map<number, WayName | null>(listed.map(({ id }) => [id, null]));
  for (const name of names)
    for (const rule of ways[name].rules) {
      const made = await ask(measured, 'POST', '/work-rules', { name: rule.kind, mode: 'off', ...rule });
      rules.set(JSON.parse(gunzipSync(made).toString()).id, name);
    }
  return rules;
};

const setRules = async (rules: ReadonlyMap<number, WayName | null>, name: WayName, measured: RuledServer) => {
  for (const [id, of] of rules) await ask(measured, 'PUT', `/work-rules/${id}`, { mode: of === name ? 'warn' : 'off' });
};

/** Returns the milliseconds that a change to assigned costs; before, all are provisional. */
const costOfChanges = async (ids: readonly number[], measured: RuledServer): Promise<number> => {
  await ask(measured, 'PUT', '/assignments/status', { assignment_ids: ids, status: 5 });
  return costOf(measured, ids, id => ask(measured, 'PUT', `/assignments/${id}/status?force=true`, { status: 6 }));
};

const costOfCandidates = (places: readonly number[], measured: RuledServer): Promise<number> =>
  costOf(measured, places, id => ask(measured, 'GET', `/event-functions/${id}/candidates?sort=-score&limit=50`));

/** Returns the milliseconds of CPU that each request takes, two at a time. */
const costOf = async (
  { server, postgres }: RuledServer,
  ids: readonly number[],
  request: (id: number) => Promise<unknown>,
): Promise<number> => {
  const used = () => cpuOf(server.pid) + (postgres === null ? 0 : cpuOf(postgres));
  const before = used();
  const rest = ids.values();
  const connect = async () => {
    for (const id of rest) await request(id);
  };
  await Promise.all(Array.from({ length: 2 }, connect));
  return (used() - before) / ids.length;
};
