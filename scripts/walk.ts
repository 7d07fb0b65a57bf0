import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * `npm run walk [path]`: traces one GET request through src/, on a demo tenant in memory.
 * It counts the functions called, their files, and how often control enters another folder. Four earlier requests fill
 * the caches, so that their loading is not counted. `--calls` prints the calls in order.
 */
const root = fileURLToPath(new URL('../src/', import.meta.url));

/** The calls since the last reset, each as `file name`. */
const calls: string[] = [];
let counting = false;
Object.assign(globalThis, { __walk: (name: string) => void (counting && calls.push(name)) });

const nameOf = (node: ts.SignatureDeclaration): string => {
  const named = node.name ?? ('name' in node.parent ? (node.parent.name as ts.Node | undefined) : undefined);
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
  return `${named?.getText() ?? 'function'}:${line + 1}`;
};

/** Inserts a recording call at the start of every function of a source, without changing line numbers. */
const mark = (file: string, source: string): string => {
  const inserts: [position: number, text: string][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const body = node.body as ts.Node;
      const call = `__walk(${JSON.stringify(`${file} ${nameOf(node)}`)})`;
      if (ts.isBlock(body)) inserts.push([body.getStart() + 1, `${call};`]);
      else inserts.push([body.getStart(), `(${call}, (`], [body.getEnd(), '))']);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true));
  return inserts
    .sort(([a], [b]) => b - a)
    .reduce((text, [position, insert]) => text.slice(0, position) + insert + text.slice(position), source);
};

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!url.startsWith('file:') || !fileURLToPath(url).startsWith(root) || !loaded.source) return loaded;
    const text = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: mark(relative(root, fileURLToPath(url)), text) };
  },
});

// Imported only now, so that the loader instruments these modules, too.
const { startApp } = await import('../test/support/app.ts');
const { inMemory } = await import('../test/support/database.ts');
const { openDatabase } = await import('../src/db/open.ts');
const { fillDemo } = await import('../src/demo/fill.ts');
const { createTokens } = await import('../src/tenancy/tokens.ts');
const { generateKeySet, parseKeySet } = await import('../src/tenancy/keys.ts');

const database = openDatabase(inMemory);
await database.migrate();
const { tenant, apiUser } = await fillDemo(database, { size: 'small', baseDomain: 'test' });
const keys = parseKeySet(generateKeySet('HS256'), 'HS256');
const app = await startApp(database, { keys });
const { token } = await createTokens({ database, keys, issuer: 'staffing' }).issueToken(tenant, apiUser.id, 3600);

const [path = '/assignments?status=6&sort=-event.start&embed=event'] = process.argv
  .slice(2)
  .filter(argument => !argument.startsWith('--'));
for (const round of [1, 2, 3, 4, 5]) {
  counting = round === 5;
  const { status, text } = await app.callAs({ tenant, token }, 'GET', path);
  counting = false;
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
}
await app.close();
await database.close();

const files = calls.map(call => call.slice(0, call.indexOf(' ')));
/** The first-level folder below src/. */
const folderOf = (call = ''): string => call.slice(0, call.indexOf('/'));
/** The moves between folders, as pairs of calls; those that a loop repeats count once. */
const steps = new Set(
  calls.map((call, index) => (folderOf(call) === folderOf(calls[index - 1]) ? '' : `${calls[index - 1]} → ${call}`)),
);
steps.delete('');
const visits = [...steps]
  .map(step => folderOf(step.split(' → ')[1]))
  .filter((folder, index, all) => folder !== all[index - 1]);
const lines = process.argv.includes('--calls') ? calls : [];
const report = `GET ${path}
${new Set(calls).size} functions in ${new Set(files).size} files, ${visits.length} visits to folders:
${visits.join(' → ')}
`;
writeSync(1, `${[...lines, report].join('\n')}`);
process.exit(0);
