import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** A completed test or suite. */
interface Completed {
  readonly name: string;
  /** The file that declares it, from the root of the repository. */
  readonly file: string;
  readonly milliseconds: number;
  readonly children: readonly Completed[];
}

/** Milliseconds of the tests of a folder by database, and of the hooks of its suites. */
interface SuiteTimes {
  tests: number;
  embedded: number;
  postgres: number;
  neither: number;
  hooks: number;
}

type DatabaseKind = 'embedded' | 'postgres' | 'neither';

const databases: Readonly<Record<string, DatabaseKind>> = {
  'on the embedded database': 'embedded',
  'on a Postgres server': 'postgres',
};

const folderOf = (file: string): string => file.split('/').slice(0, -1).slice(0, 3).join('/');

/** The file of the first test below a suite, which a helper may have declared. */
const fileOf = (completed: Completed): string => {
  const [first] = completed.children;
  return first ? fileOf(first) : completed.file;
};

const add = (folders: Map<string, SuiteTimes>, completed: Completed, outer: DatabaseKind): void => {
  const database = databases[completed.name] ?? outer;
  const folder = folderOf(fileOf(completed));
  const times = folders.get(folder) ?? { tests: 0, embedded: 0, postgres: 0, neither: 0, hooks: 0 };
  folders.set(folder, times);
  for (const child of completed.children) add(folders, child, database);
  if (completed.children.length > 0) {
    times.hooks += completed.milliseconds - completed.children.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  } else {
    times.tests += 1;
    times[database] += completed.milliseconds;
  }
};

const totalOf = ({ embedded, postgres, neither, hooks }: SuiteTimes): number => embedded + postgres + neither + hooks;
const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1).padStart(8);

/** Returns a table in Markdown, the slowest folder first; seconds. */
const tableOf = (folders: ReadonlyMap<string, SuiteTimes>): string => {
  const sum: SuiteTimes = { tests: 0, embedded: 0, postgres: 0, neither: 0, hooks: 0 };
  for (const times of folders.values())
    for (const name of ['tests', 'embedded', 'postgres', 'neither', 'hooks'] as const) sum[name] += times[name];
  const rows = [...folders, ['all', sum] as const].sort(([, a], [, b]) => totalOf(b) - totalOf(a));
  const lines = rows.map(([folder, times]) => {
    const cells = [times.embedded, times.postgres, times.neither, times.hooks, totalOf(times)].map(seconds);
    return `| ${folder} | ${times.tests} | ${cells.join(' | ')} |`;
  });
  const head = '| Folder | Tests | Embedded | Postgres | Neither | Set-up | All |\n|---|---|---|---|---|---|---|';
  return `${head}\n${lines.join('\n')}\n`;
};

/** Returns the seconds of files that take ten or more, slowest first: `test/parts/long.json`. */
const longOf = (files: ReadonlyMap<string, number>): string => {
  const long = [...files].map(([file, milliseconds]) => [file, Math.round(milliseconds / 1000)] as const);
  const rows = long.filter(([, seconds]) => seconds >= 10).sort(([, a], [, b]) => b - a);
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
};

/**
 * Reports where the time of the tests goes: by folder, database and hooks of suites.
 * Which files take longest follows.
 * It is a reporter of node:test.
 */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const folders = new Map<string, SuiteTimes>();
  const files = new Map<string, number>();
  /** What is complete and whose parent is not, by depth. */
  const open: Completed[][] = [];
  for await (const event of events) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, nesting, file = '', details } = event.data;
    const children = open[nesting + 1] ?? [];
    open[nesting + 1] = [];
    const completed = { name, file: relative(process.cwd(), file), milliseconds: details.duration_ms, children };
    if (nesting === 0) {
      add(folders, completed, 'neither');
      const below = relative('test', fileOf(completed));
      files.set(below, (files.get(below) ?? 0) + completed.milliseconds);
    } else open[nesting] = [...(open[nesting] ?? []), completed];
  }
  yield tableOf(folders);
  yield longOf(files);
}
