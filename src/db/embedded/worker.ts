import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';

/** PGlite behind a message port: messages of the Postgres protocol in and out; `null` closes the database and ends the thread. */
if (!parentPort) throw new Error('This module is a worker thread.');
const port = parentPort;
const { dataDir } = workerData as { dataDir: string };

const database = await PGlite.create({ dataDir, extensions: { btree_gist } });

port.on('message', (message: Uint8Array | null) => {
  if (message) {
    // A copy: the answer is a view of memory that the next message is answered from.
    const answer = database.execProtocolRawSync(message).slice();
    port.postMessage(answer, [answer.buffer]);
  } else {
    database.close().finally(() => port.close());
  }
});
port.postMessage('ready');
