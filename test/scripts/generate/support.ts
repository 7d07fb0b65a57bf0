import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { after } from 'node:test';
import { getSourceLocation, NoTarget } from '@typespec/compiler';
import { SpecError } from '../../../scripts/generate/spec/program.ts';
import { type Folders, generateFiles, repository } from '../../../scripts/generate.ts';

const root = resolve(import.meta.dirname, '../../..');
const made: string[] = [];

/** A folder inside the repository, where the packages are found, that is gone after the tests. */
export const temporaryFolder = (): string => {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/generate-'));
  made.push(folder);
  return folder;
};

after(() => Promise.all(made.map(folder => rm(folder, { recursive: true, force: true }))));

/** The repository's spec, and in `folder` one more file of resources. */
export const withResources = (folder: string, text: string): Folders => {
  mkdirSync(join(folder, 'spec/resources'), { recursive: true });
  writeFileSync(join(folder, 'spec/resources/more.tsp'), `using Http;\n\nnamespace Staffing;\n\n${text}`);
  return { ...repository, specDirs: [...repository.specDirs, join(folder, 'spec')], outDir: join(folder, 'generated') };
};

/** What the generator reports, with the place in the spec. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  /** The file's name and the line. */
  readonly at: string;
}

/** What the generator reports against the spec with that text as a further file, `more.tsp`. */
export const problemsOf = (text: string): Promise<readonly Problem[]> =>
  problemsWith(withResources(temporaryFolder(), text));

/** A copy of the repository's spec in which each piece of text, by the name of its file, is replaced. */
export const withChanges = (changes: readonly (readonly [file: string, from: string, to: string])[]): Folders => {
  const folder = join(temporaryFolder(), 'spec');
  cpSync(repository.specDirs[0] as string, folder, { recursive: true });
  for (const [name, from, to] of changes) {
    const text = readFileSync(join(folder, name), 'utf8');
    if (!text.includes(from)) throw new Error(`${name} lacks ${from}`);
    writeFileSync(
      join(folder, name),
      text.replace(from, () => to),
    );
  }
  return { ...repository, specDirs: [folder] };
};

const typed: readonly string[] = ['api.ts', 'client.ts', 'administration.json', 'administration.ts'];

/** Says whether a generated file is quickly made: all but the types of requests and responses, which report nothing of a spec. */
export const isQuick = (file: string): boolean => !typed.includes(file);

/** What the generator reports against a spec. */
export const problemsWith = async (folders: Folders): Promise<readonly Problem[]> => {
  try {
    await generateFiles(folders, isQuick);
    return [];
  } catch (error) {
    if (!(error instanceof SpecError)) throw error;
    return error.diagnostics.map(({ code, message, target }) => {
      const place = target === NoTarget ? undefined : getSourceLocation(target, { locateId: true });
      const line = (place?.file.getLineAndCharacterOfPosition(place.pos).line ?? -1) + 1;
      return { code, message, at: `${basename(place?.file.path ?? '')}:${line}` };
    });
  }
};

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly object[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Schema;
  readonly 'x-filter'?: { readonly type: string };
}

export interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly responses: Readonly<Record<string, { readonly description: string } | { readonly $ref: string }>>;
  readonly requestBody?: object;
  readonly 'x-resource'?: string;
  readonly 'x-verb'?: string;
  readonly 'x-alias'?: string;
  readonly 'x-module'?: string;
}

/** The parts of the OpenAPI document that the tests read. */
export interface Document {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, { readonly description: string }>>;
  };
}

/** The repository's document, which the spec generates: freshness.test.ts. */
export const repositoryDocument = JSON.parse(readFileSync(join(repository.outDir, 'openapi.json'), 'utf8')) as Document;

/** Every operation with its path. */
export const operationsOf = ({ paths }: Document): readonly (readonly [path: string, operation: Operation])[] =>
  Object.entries(paths).flatMap(([path, item]) => Object.values(item).map(operation => [path, operation] as const));
