import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { draw, replaceWalks } from './draw.ts';
import { instrument, record } from './trace.ts';

const usage = `npm run walk -- [path] [--calls] [--write]

Traces how requests and jobs walk through src/, on a demo tenant in memory: which functions are called, and in which files. Four earlier
turns fill the caches.

  path     only GET of this path, such as /clients?company=~wren
  --calls  also all calls in their order
  --write  writes the walks into docs/architecture.md
`;

const page = fileURLToPath(new URL('../../docs/architecture.md', import.meta.url));
/** Turns before the one that is recorded. */
const warmUp = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}

instrument();
// Imported only now, so that the loader instruments the modules of src/, too.
const { startApp } = await import('../../test/support/app.ts');
const { inMemory } = await import('../../test/support/database.ts');
const { openDatabase } = await import('../../src/db/open.ts');
const { listing, walksOf } = await import('./walks.ts');

const database = openDatabase(inMemory);
await database.migrate();
const app = await startApp(database);
const client = await app.newClient();
const [path] = positionals;
const walks = path === undefined ? await walksOf(app, client) : [listing(path, client)];
const drawn: string[] = [];
for (const { name, what, prepare } of walks) {
  for (let turn = 0; turn < warmUp; turn++) await (await prepare(turn))();
  const work = await prepare(warmUp);
  const calls = await record(work);
  if (values.calls) console.log(calls.join('\n'));
  drawn.push(draw(name, what, calls));
}
await app.close();
await database.close();
if (values.write) writeFileSync(page, replaceWalks(readFileSync(page, 'utf8'), drawn.join('\n')));
else console.log(drawn.join('\n'));
process.exit(0);
