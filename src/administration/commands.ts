import { request } from 'node:http';
import { ApiError } from '../core/errors.ts';
import type { Database } from '../db/open.ts';
import type { InternalRoutes } from '../http/connection/internal/route.ts';
import { administrationPath, findChannel } from './channel.ts';
import { guarded } from './guard.ts';

/** A command line, and the folder that its relative paths refer to. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly directory: string;
}

/** What a command has printed, in order, and its exit status. */
export interface CommandResult {
  readonly status: 0 | 1;
  readonly lines: readonly { readonly stream: 'out' | 'note'; readonly line: string }[];
}

/** Runs a command on a database that is open. */
export type RunCommand = (command: CommandLine, database: Database) => Promise<CommandResult>;

/**
 * Returns the route of commands: `POST /commands` runs one of the command line in this process.
 * A second process cannot open the embedded database.
 */
export const administrationRoutes = (options: {
  readonly key: string;
  readonly database: Database;
  /** Returns whether the start is complete. */
  readonly ready: () => boolean;
  readonly run: RunCommand;
}): InternalRoutes => ({
  [`POST ${administrationPath}/commands`]: guarded(options.key, async body => {
    if (!isCommandLine(body))
      throw new ApiError('validation_failed', { message: 'A command has args and a directory.' });
    if (!options.ready()) throw new ApiError('service_unavailable', { message: 'The server is starting.' });
    return options.run(body, options.database);
  }),
});

const isCommandLine = (body: unknown): body is CommandLine => {
  const { args, directory } = (body ?? {}) as Partial<CommandLine>;
  return Array.isArray(args) && args.every(arg => typeof arg === 'string') && typeof directory === 'string';
};

/**
 * Runs a command in the server that has the data folder's database open.
 * @returns null if no server can be reached
 * @throws Error with the server's reason if it rejects the command
 */
export const runInServer = async (dataDir: string, command: CommandLine): Promise<CommandResult | null> => {
  const channel = findChannel(dataDir);
  const response = channel && (await post(`${channel.url}/commands`, channel.key, JSON.stringify(command)));
  // Another program has taken the port of the server that wrote the file.
  if (!response?.body || response.status === 401 || response.status === 404) return null;
  if (response.status !== 200) throw new Error(`The running server rejects the command: ${response.body.message}`);
  return response.body as CommandResult;
};

interface CommandResponse {
  readonly status: number;
  /** Null: it is no JSON. */
  readonly body: (Partial<CommandResult> & { readonly message?: string }) | null;
}

/** Sends a request without a time limit, as a command may take minutes; returns null if nobody listens. */
const post = (url: string, key: string, text: string): Promise<CommandResponse | null> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Connection: 'close' };
    request(url, { method: 'POST', agent: false, headers: { ...headers, 'Content-Length': Buffer.byteLength(text) } })
      .on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? resolve(null) : reject(error)))
      .on('response', response => {
        const chunks: Buffer[] = [];
        response.on('data', chunk => chunks.push(chunk)).on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: bodyOf(Buffer.concat(chunks).toString()) }),
        );
      })
      .end(text);
  });

const bodyOf = (text: string): CommandResponse['body'] => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
