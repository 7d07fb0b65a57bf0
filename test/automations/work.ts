import assert from 'node:assert/strict';
import { pino } from 'pino';
import { resources } from '../../generated/resources.ts';
import { createTenantFields } from '../../src/attributes/tenant-fields.ts';
import { attempt } from '../../src/automations/courier.ts';
import type { DeliveryDependencies, DeliveryJob } from '../../src/automations/deliver.ts';
import { openQueue } from '../../src/automations/runner.ts';
import type { SendWebhook, WebhookMessage, WebhookResponse } from '../../src/automations/webhook.ts';
import type { Tenant } from '../../src/core/principal.ts';
import type { Database } from '../../src/db/open.ts';
import { queues } from '../../src/db/queue.ts';
import { webhookContradictions } from '../support/conformance/webhook.ts';

/** Milliseconds. */
const HOUR = 3_600_000;

/** Workers of the queue that run only when a test calls them, at a time set by the test. */
export class Workshop {
  readonly #database: Database;
  readonly #tenant: Tenant;
  /** The messages of webhooks, which are not really sent. */
  readonly sent: WebhookMessage[] = [];
  readonly #fields = createTenantFields(resources);
  readonly logs: string[] = [];
  /** The next attempt of what fails is not due before a test has ended. */
  now = new Date(Date.now() + HOUR);
  respond: (message: WebhookMessage) => WebhookResponse = () => ({ status: 204, error: null });

  constructor(database: Database, tenant: Tenant) {
    this.#database = database;
    this.#tenant = tenant;
  }

  /**
   * Runs jobs until none is left.
   * @param early whether to run jobs before they are due, without pauses
   * @returns the number of jobs
   */
  async run({ early = false, send, rounds = 20 }: { early?: boolean; send?: SendWebhook; rounds?: number } = {}) {
    const queue = openQueue(this.#database, { supervise: false, schedule: false });
    queue.on('error', () => {});
    await queue.start();
    let done = 0;
    try {
      for (let round = 0; round < rounds; round++) {
        const jobs = await queue.fetch<DeliveryJob>(queues.deliveries, { batchSize: 100, ignoreStartAfter: early });
        if (jobs.length === 0) break;
        // Ignores jobs left by other tests.
        const own = jobs.filter(({ data }) => data.tenant_id === this.#tenant.id);
        const others = jobs.filter(job => !own.includes(job)).map(({ id }) => id);
        if (others.length > 0) await queue.complete(queues.deliveries, others);
        await Promise.all(own.map(job => attempt(job, queue, this.dependencies(send))));
        done += own.length;
      }
    } finally {
      await queue.stop({ graceful: false, close: false });
    }
    return done;
  }

  dependencies(send?: SendWebhook): DeliveryDependencies {
    const record: SendWebhook = async message => {
      assert.deepEqual(webhookContradictions({ headers: null, payload: message.payload }), []);
      this.sent.push(message);
      return this.respond(message);
    };
    return {
      database: this.#database,
      send: send ?? record,
      fields: this.#fields,
      attempts: 4,
      log: pino({ level: 'debug' }, { write: line => void this.logs.push(line) }),
      now: () => this.now,
    };
  }
}
