import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import type { CompiledProgram } from './program.ts';

/** Runs PGlite behind a message port: bytes of the Postgres protocol; `null` ends the thread. */
if (!parentPort) throw new Error('This module is a worker thread.');
const port = parentPort;
const { program, dataDir, template } = workerData as {
  program: CompiledProgram;
  dataDir: string;
  template: Uint8Array<ArrayBuffer> | null;
};

const database = await PGlite.create({
  ...{ dataDir, extensions: { btree_gist }, pgliteWasmModule: program },
  ...(template && { loadDataDir: new Blob([template]) }),
});

/** Returns the response to a message, raw: PGlite would otherwise parse it and keep what it has parsed. */
const responseTo = async (message: Uint8Array): Promise<Uint8Array<ArrayBuffer>> => {
  const parts: Uint8Array[] = [];
  // Copied, since PGlite reuses the memory for the next part.
  await database.execProtocolRawStream(message, { syncToFs: false, onRawData: part => void parts.push(part.slice()) });
  // Not by Buffer.concat: its short buffers share memory, and that of a response is given away.
  const response = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    response.set(part, end);
    end += part.length;
  }
  return response;
};

port.on('message', async (message: Uint8Array | null) => {
  if (message) {
    const response = await responseTo(message);
    port.postMessage(response, [response.buffer]);
  } else {
    database.close().finally(() => port.close());
  }
});
port.postMessage('ready');
