import { attempt } from '../../src/automations/courier.ts';
import type { DeliveryJob } from '../../src/automations/deliver.ts';
import { openQueue } from '../../src/automations/runner.ts';
import { createWebhooks, type SendWebhook } from '../../src/automations/webhook.ts';
import { openDatabase } from '../../src/db/open.ts';
import { Session } from '../../src/db/pool/session.ts';
import { queues } from '../../src/db/queue.ts';
import { parseKeySet } from '../../src/tenancy/keys.ts';
import { startApp } from '../support/app.ts';
import { replaceForTenants } from '../support/replace.ts';
import { Workshop } from './work.ts';

// A server that kills itself at the point named by DIE, in the transaction of its first change. Prints its port.
const { DATABASE_URL: url, DATA_DIR: dataDir = '', KEYS: keys = '', DIE: place, RECEIVER: receiver = '' } = process.env;

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
};

const database = openDatabase({ url: url ?? null, dataDir, poolSize: 5 });
const dying = replaceForTenants(database, db => ({
  transaction: async change => {
    // As a part of a transaction, which does not end it, so that all has been sent but COMMIT.
    if (place === 'before commit') return db.joined(async (_, transaction) => change(transaction).then(die));
    const result = await db.transaction(change);
    return place === 'after commit' ? die() : result;
  },
}));

if (place === 'between commits') {
  const { send } = Session.prototype;
  Session.prototype.send = function (this: Session, statements) {
    return statements.some(({ text }) => text.includes('enqueue_deliveries')) ? die() : send.call(this, statements);
  };
}

const post = createWebhooks({ timeout: 10_000, networks: ['127.0.0.1'], http: true });

/** Sends a webhook, then kills the process before the outcome is stored. */
const send: SendWebhook = async message => {
  await post({ ...message, url: receiver });
  return die();
};

if (process.env.WORK === 'true') {
  const queue = openQueue(dying, { supervise: false, schedule: false });
  await queue.start();
  const jobs = await queue.fetch<DeliveryJob>(queues.deliveries, { batchSize: 100 });
  const dependencies = new Workshop(dying, { id: 0 } as never).dependencies(send);
  await Promise.all(jobs.map(job => attempt(job, queue, dependencies)));
} else {
  const app = await startApp(dying, { keys: parseKeySet(keys, 'HS256') });
  process.stdout.write(`${app.port}\n`);
}
