import assert from 'node:assert/strict';
import type { App, Client } from '../../test/support/app.ts';

/** One way through the code. */
export interface Walk {
  readonly name: string;
  /** What is done, in one line of Markdown. */
  readonly what: string;
  /** Prepares one turn, and returns what is to be recorded. */
  readonly prepare: (turn: number) => Promise<() => Promise<unknown>>;
}

/**
 * Returns a read of a path as a walk.
 * Each turn has a `limit` of its own, so that no cached response is sent.
 */
export const listing = (path: string, { call }: Client): Walk => ({
  name: 'Listing',
  what: `\`GET ${path}\``,
  prepare: async turn => async () => {
    const { status, text } = await call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=${20 + turn}`);
    assert.equal(status, 200, text);
  },
});

/** Returns the walks that docs/architecture.md shows. */
export const walksOf = async (app: App, client: Client): Promise<readonly Walk[]> => {
  const { Staffing } = await import('../../test/domain/staffing/scene.ts');
  const { Importer, send } = await import('../../test/imports/importer.ts');
  const { Workshop } = await import('../../test/automations/work.ts');
  const staffing = new Staffing(client);
  const importer = new Importer(app);
  const workshop = new Workshop(client.database, client.tenant);
  const shift = (turn: number) => {
    const day = `2031-05-${String(turn + 10)}`;
    return staffing.newAssignment(`${day}T10:00:00Z`, `${day}T18:00:00Z`);
  };
  const list = listing('/assignments?status=6&sort=-event.start&embed=event', client);
  return [
    {
      ...list,
      prepare: async turn => {
        // It finds two records: a listing of none writes none.
        if (turn === 0) for (const day of [15, 16]) await staffing.setStatus(await shift(day), 6);
        return list.prepare(turn);
      },
    },
    {
      name: 'Status change',
      what: '`PUT /assignments/{id}/status`',
      prepare: async turn => {
        const id = await shift(turn);
        return async () => {
          const { status, text } = await staffing.setStatus(id, 6);
          assert.equal(status, 200, text);
        };
      },
    },
    {
      name: 'Import row',
      what: 'The worker imports a file of one row, accepted before by `POST /clients/import`.',
      prepare: async turn => {
        const { status, text } = await send(client, '/clients/import', [{ external_id: `C-${turn}`, company: 'Wren' }]);
        assert.equal(status, 202, text);
        return () => importer.work(client);
      },
    },
    {
      name: 'Webhook',
      what: 'The worker delivers `assignment.status_changed`, stored before by the transaction of the change.',
      prepare: async turn => {
        if (turn === 0)
          await staffing.create('automations', {
            trigger_type: 'assignment.status_changed',
            trigger_configuration: JSON.stringify({ to: [6] }),
            routine_type: 'webhook.post',
            routine_configuration: JSON.stringify({ url: 'https://receiver.example/hook' }),
          });
        await staffing.setStatus(await shift(turn), 6);
        return async () => assert.equal(await workshop.run(), 1);
      },
    },
  ];
};
