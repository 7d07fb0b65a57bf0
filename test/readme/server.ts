import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';
import { makeMigrated } from '../support/template.ts';

const execute = promisify(execFile);

/** A server as a newcomer starts it, with ports of its own and a data folder whose database is migrated. */
export interface PrintedServer {
  /** The working directory of programs that are printed in a document. */
  readonly folder: string;
  /** What the first start has printed. */
  readonly greeting: string;
  /** Runs a printed command, in the project's folder or in `folder`, and returns its output. */
  run(command: string, environment?: NodeJS.ProcessEnv, place?: 'project' | 'folder'): Promise<string>;
  /** Returns a printed text with the ports and the data folder of this server. */
  adapt(text: string): string;
  readonly environment: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

/**
 * Returns the text of a chapter of a document, up to the next heading.
 * Chapters with commands are named here and nowhere else, by the tests that run them (printed.test.ts).
 */
export const chapterOf = (document: string, heading: string): string => {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8');
  const [, ...chapters] = `\n${text}`.split(/\n##? (?=\S)/);
  const chapter = chapters.find(chapter => chapter.startsWith(`${heading}\n`));
  if (chapter === undefined) throw new Error(`${document} has no chapter "${heading}"`);
  return chapter.slice(heading.length);
};

/** Returns the blocks of code of a text that are in a language. */
export const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);

/** Starts a server, on the embedded database unless `more` has another one, and waits for the end of its greeting. */
export const startPrintedServer = async (
  more: NodeJS.ProcessEnv = {},
  end = "/clients'\n\n",
): Promise<PrintedServer> => {
  const folder = mkdtempSync(join(tmpdir(), 'printed-'));
  const [port, internal] = [await freePort(), await freePort()];
  const environment = {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME, HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
    ...{ DATA_DIR: join(folder, 'data'), PORT: String(port), INTERNAL_PORT: String(internal) },
    ...more,
  };
  if (!more.DATABASE_URL) await makeMigrated(environment.DATA_DIR);
  // `npm ci` is the first command of .ci/run; here it would replace the packages of the tests that run.
  const [commands = ''] = blocksOf(chapterOf('README.md', 'Two commands'), 'sh');
  const [, command = ''] = /^npm ci && (npm start) +#/.exec(commands) ?? [];
  const child = spawn('bash', ['-c', `exec ${command}`], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let greeting = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      greeting += chunk;
      if (greeting.endsWith(end)) resolve();
    });
    child.once('exit', status => reject(new Error(`The server ended with ${status}.`)));
  });
  const adapt = (text: string): string =>
    text
      .replaceAll('8443', String(port))
      .replaceAll('9443', String(internal))
      .replaceAll('data/tls', join(folder, 'data/tls'));
  return {
    folder,
    greeting,
    environment,
    adapt,
    run: async (command, more = {}, place = 'project') => {
      const cwd = place === 'project' ? process.cwd() : folder;
      const { stdout } = await execute('bash', ['-euc', adapt(command)], { env: { ...environment, ...more }, cwd });
      return stdout;
    },
    close: async () => {
      // npm and what it has started.
      process.kill(-Number(child.pid), 'SIGTERM');
      await once(child, 'close');
      rmSync(folder, { recursive: true });
    },
  };
};
