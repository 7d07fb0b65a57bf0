import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Entry } from './step.ts';

/** Writes entries as lines of JSON, compressed. */
export const createRecording = (path: string): { add(entry: Entry): void; close(): Promise<void> } => {
  const lines = createGzip();
  const file = lines.pipe(createWriteStream(path));
  return {
    add: entry => lines.write(`${JSON.stringify(entry)}\n`),
    close: async () => {
      lines.end();
      await finished(file);
    },
  };
};

/** The entries of a recording, in their order. */
export async function* readRecording(path: string): AsyncGenerator<Entry> {
  const input = createReadStream(path).pipe(createGunzip());
  for await (const line of createInterface({ input })) yield JSON.parse(line);
}
