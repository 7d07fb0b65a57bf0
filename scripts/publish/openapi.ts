import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { writeBundle } from './bundle.ts';
import { changelog } from './changelog.ts';
import { problemsOf } from './check.ts';
import { type Api, compareApis, publishedFolder, readGenerated, readPublished, writePublished } from './published.ts';

/** What is published, and where. */
export interface Publication {
  readonly api: Api;
  /** Receives a folder with the name of the version. */
  readonly outDir: string;
  /** The folder that keeps the last published version and, in `previous`, the one before it. */
  readonly publishedDir: string;
  /**
   * Whether the last published version is replaced, whatever has changed.
   * This is for a version that nobody uses.
   */
  readonly replace: boolean;
}

/**
 * Writes the bundle of the API's version, with its changes to the version before it.
 * It is kept as the last published version. The last one published again has the same changelog.
 * @returns the folder of the bundle
 * @throws Error if the version must be raised for what has changed
 */
export const publish = async ({ api, outDir, publishedDir, replace }: Publication): Promise<string> => {
  const { version } = api.document.info;
  const last = readPublished(publishedDir);
  const isAgain = replace || last?.document.info.version === version;
  if (last && !replace) requireVersion(last, api);
  const previousDir = join(publishedDir, 'previous');
  const previous = isAgain ? readPublished(previousDir) : last;
  if (previous && isAgain) requireVersion(previous, api);
  const before = previous?.document.info.version ?? null;
  const findings = previous ? compareApis(previous, api) : [];
  const folder = join(outDir, version);
  writeBundle(folder, api.document, changelog(version, before, findings));
  if (previous) writePublished(previous, previousDir);
  writePublished(api, publishedDir);
  return folder;
};

const requireVersion = (published: Api, api: Api): void => {
  const problems = problemsOf(published, api);
  if (problems.length > 0) throw new Error(problems.join('\n'));
};

/** `npm run publish:openapi -- [folder] [--replace]` */
const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ options: { replace: { type: 'boolean' } }, allowPositionals: true });
  const outDir = resolve(positionals[0] ?? 'dist/openapi');
  const folder = await publish({
    api: readGenerated(),
    outDir,
    publishedDir: publishedFolder,
    replace: values.replace ?? false,
  });
  console.log(
    `${relative('', folder)}: openapi.json, openapi.client.json, openapi.yaml, postman.json, llms.txt, index.html (the explorer), CHANGELOG.md`,
  );
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
