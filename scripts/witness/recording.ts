import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { RecordedStep } from './step.ts';

/** Creates a recording file: compressed JSON lines, one for each entry. */
export const createRecording = (path: string): { add(entry: RecordedStep): void; close(): Promise<void> } => {
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

/** Reads the entries of a recording in order. */
export async function* readRecording(path: string): AsyncGenerator<RecordedStep> {
  const input = createReadStream(path).pipe(createGunzip());
  for await (const line of createInterface({ input })) yield JSON.parse(line);
}
