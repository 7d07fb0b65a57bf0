import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkSpec } from './generate/checks/checks.ts';
import { emitDocument } from './generate/document/document.ts';
import { emitActions } from './generate/output/actions.ts';
import { generateAdministration } from './generate/output/administration.ts';
import { emitApi } from './generate/output/api.ts';
import { emitAutomations } from './generate/output/automations.ts';
import { emitClient } from './generate/output/client.ts';
import { emitErrors } from './generate/output/errors.ts';
import { emitFormats } from './generate/output/formats.ts';
import { emitCategories, emitModules, emitParameters } from './generate/output/names.ts';
import { emitJson } from './generate/output/openapi.ts';
import { emitPayrollPresets } from './generate/output/payroll-presets.ts';
import { emitResources } from './generate/output/resources.ts';
import { emitRules } from './generate/output/rules.ts';
import { emitStatusMap } from './generate/output/status-map.ts';
import { emitStatusSets, emitStatusSetsSql } from './generate/output/status-sets.ts';
import { emitTables } from './generate/output/tables.ts';
import { emitWorkRules } from './generate/output/work-rules.ts';
import { factsOf } from './generate/spec/facts.ts';
import { withLayers } from './generate/spec/layers.ts';
import { compileSpec, SpecError, throwProblems } from './generate/spec/program.ts';

/** Where the generator reads and writes. */
export interface Folders {
  /** The folder of the spec, then folders with additional conventions, resources or tables. */
  readonly specDirs: readonly string[];
  readonly outDir: string;
  /** The folder of the server sources that the generated files import. */
  readonly sourceDir: string;
}

/**
 * Returns the content of all generated files, by file name.
 * @throws SpecError if the spec does not compile or breaks a convention
 */
export const generateFiles = async ({ specDirs, outDir, sourceDir }: Folders): Promise<ReadonlyMap<string, string>> => {
  const program = await compileSpec(specDirs);
  checkSpec(program);
  throwProblems(program);
  const facts = withLayers(factsOf(program, await emitDocument(program)), definitionsIn(sourceDir));
  const source = relative(outDir, sourceDir);
  return new Map([
    ['openapi.json', emitJson(facts)],
    ['api.ts', await emitApi(facts, source)],
    ['client.ts', await emitClient(facts)],
    ['resources.ts', emitResources(facts, source)],
    ['tables.ts', emitTables(facts)],
    ['actions.ts', emitActions(facts, source, actionsIn(sourceDir))],
    ['rules.ts', emitRules(facts, source)],
    ['errors.ts', emitErrors(facts)],
    ['formats.ts', emitFormats(facts, source)],
    ['modules.ts', emitModules(facts)],
    ['categories.ts', emitCategories(facts)],
    ['parameters.ts', emitParameters(facts)],
    ['status-map.ts', emitStatusMap(facts)],
    ['automations.ts', emitAutomations(facts)],
    ['payroll-presets.ts', emitPayrollPresets(facts)],
    ['work-rules.ts', emitWorkRules(facts)],
    ['status-sets.ts', emitStatusSets(facts)],
    ['status-sets.sql', emitStatusSetsSql(facts)],
    ...(await generateAdministration(specDirs[0] ?? '', facts.document)),
  ]);
};

/** Returns what reads the view of a resource from the sources. */
const definitionsIn =
  (sourceDir: string) =>
  (resource: string): string | null => {
    const path = join(sourceDir, 'resources', resource, 'view.sql');
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };

/** Returns what finds the file of an action: in the folder of its resource, or in one of its folders. */
const actionsIn =
  (sourceDir: string) =>
  (resource: string, name: string): string => {
    const [nested] = globSync(`resources/${resource}/*/${name}.ts`, { cwd: sourceDir });
    return nested ?? `resources/${resource}/${name}.ts`;
  };

/** Writes all generated files to `outDir`. */
export const generate = async (folders: Folders): Promise<void> => {
  const files = await generateFiles(folders);
  await mkdir(folders.outDir, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folders.outDir, name), text);
};

/** Returns the names of the files in `outDir` that are missing, outdated or no longer generated. */
export const findStale = async (folders: Folders): Promise<readonly string[]> => {
  const files = await generateFiles(folders);
  const entries = await readdir(folders.outDir, { withFileTypes: true }).catch(() => []);
  // The folder in it is written by `npm run publish:openapi`.
  const present = entries.filter(entry => entry.isFile()).map(({ name }) => name);
  const names = [...new Set([...files.keys(), ...present])].sort();
  const stale: string[] = [];
  for (const name of names) {
    const text = present.includes(name) ? await readFile(join(folders.outDir, name), 'utf8') : undefined;
    if (text !== files.get(name)) stale.push(name);
  }
  return stale;
};

/** The folders of this repository. */
export const repository: Folders = {
  specDirs: [resolve(import.meta.dirname, '../spec')],
  outDir: resolve(import.meta.dirname, '../generated'),
  sourceDir: resolve(import.meta.dirname, '../src'),
};

const main = async (): Promise<number> => {
  if (!process.argv.includes('--check')) {
    await generate(repository);
    return 0;
  }
  const stale = await findStale(repository);
  for (const name of stale) console.error(`generated/${name} is out of date: run \`npm run generate\``);
  return stale.length === 0 ? 0 : 1;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main().catch((error: unknown) => {
    console.error(error instanceof SpecError ? error.message : error);
    return 1;
  });
}
