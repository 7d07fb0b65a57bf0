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
import { type Facts, factsOf } from './generate/spec/facts.ts';
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
 * Returns the content of the generated files, by file name.
 * @param isWanted says which of them; default: all
 * @throws SpecError if the spec does not compile or breaks a convention
 */
export const generateFiles = async (
  { specDirs, outDir, sourceDir }: Folders,
  isWanted: (file: string) => boolean = () => true,
): Promise<ReadonlyMap<string, string>> => {
  const program = await compileSpec(specDirs);
  checkSpec(program);
  throwProblems(program);
  const facts = withLayers(factsOf(program, await emitDocument(program)), definitionsIn(sourceDir));
  const source = relative(outDir, sourceDir);
  const files = new Map<string, string>();
  for (const [name, emit] of Object.entries(emittersOf(source, sourceDir)))
    if (isWanted(name)) files.set(name, await emit(facts));
  if (['administration.json', 'administration.ts'].some(isWanted))
    for (const [name, text] of await generateAdministration(specDirs[0] ?? '', facts.document)) files.set(name, text);
  return files;
};

/** Returns what writes each file of the tenants' API, by file name. */
const emittersOf = (
  source: string,
  sourceDir: string,
): Readonly<Record<string, (facts: Facts) => string | Promise<string>>> => ({
  'openapi.json': emitJson,
  'api.ts': facts => emitApi(facts, source),
  'client.ts': emitClient,
  'resources.ts': facts => emitResources(facts, source),
  'tables.ts': emitTables,
  'actions.ts': facts => emitActions(facts, source, actionsIn(sourceDir)),
  'rules.ts': facts => emitRules(facts, source),
  'errors.ts': emitErrors,
  'formats.ts': facts => emitFormats(facts, source),
  'modules.ts': emitModules,
  'categories.ts': emitCategories,
  'parameters.ts': emitParameters,
  'status-map.ts': emitStatusMap,
  'automations.ts': emitAutomations,
  'payroll-presets.ts': emitPayrollPresets,
  'work-rules.ts': emitWorkRules,
  'status-sets.ts': emitStatusSets,
  'status-sets.sql': emitStatusSetsSql,
});

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

/** Writes generated files to `outDir`. @param isWanted says which of them; default: all */
export const generate = async (folders: Folders, isWanted?: (file: string) => boolean): Promise<void> => {
  const files = await generateFiles(folders, isWanted);
  await mkdir(folders.outDir, { recursive: true });
  for (const [name, text] of files) await writeFile(join(folders.outDir, name), text);
};

/**
 * Returns the names of the files in `outDir` that are missing, outdated or no longer generated.
 * @param files the content of all generated files
 */
export const findStale = async (files: ReadonlyMap<string, string>, outDir: string): Promise<readonly string[]> => {
  const entries = await readdir(outDir, { withFileTypes: true }).catch(() => []);
  // The folder in it is written by `npm run publish:openapi`.
  const present = entries.filter(entry => entry.isFile()).map(({ name }) => name);
  const names = [...new Set([...files.keys(), ...present])].sort();
  const stale: string[] = [];
  for (const name of names) {
    const text = present.includes(name) ? await readFile(join(outDir, name), 'utf8') : undefined;
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
  const stale = await findStale(await generateFiles(repository), repository.outDir);
  for (const name of stale) console.error(`generated/${name} is out of date: run \`npm run generate\``);
  return stale.length === 0 ? 0 : 1;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main().catch((error: unknown) => {
    console.error(error instanceof SpecError ? error.message : error);
    return 1;
  });
}
