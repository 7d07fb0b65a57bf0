import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';

/** Runs PGlite behind a message port: bytes of the Postgres protocol; `null` ends the thread. */
if (!parentPort) throw new Error('This module is a worker thread.');
const port = parentPort;
const { dataDir, template } = workerData as { dataDir: string; template: Uint8Array<ArrayBuffer> | null };

const database = await PGlite.create({
  ...{ dataDir, extensions: { btree_gist } },
  ...(template && { loadDataDir: new Blob([template]) }),
});

port.on('message', (message: Uint8Array | null) => {
  if (message) {
    // Copied, since PGlite reuses the memory for the next response.
    const response = database.execProtocolRawSync(message).slice();
    port.postMessage(response, [response.buffer]);
  } else {
    database.close().finally(() => port.close());
  }
});
port.postMessage('ready');
