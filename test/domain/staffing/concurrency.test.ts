import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/core/call/call.ts';
import { lockEmployees } from '../../../src/domain/staffing/locks.ts';
import { checkChangedTimes, lockBooked } from '../../../src/domain/staffing/times/changed.ts';
import { selectTimed } from '../../../src/domain/staffing/times/judged.ts';
import type { ApiResponse } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';
import { insist, Staffing } from './scene.ts';

const span = ['2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'] as const;
const crowd = Array.from({ length: 16 }, (_, index) => index);
const rounds = [1, 2];

/** The same hours on a day of its own for each. */
const dayOf = (index: number): [start: string, end: string] =>
  [`2026-07-${index + 1}T16:00:00Z`, `2026-07-${index + 1}T22:00:00Z`].map(text => text.replace(/-(\d)T/, '-0$1T')) as [
    string,
    string,
  ];

/** Sends all at once; exactly one may get through, the others are told why not. */
const race = async (requests: readonly (() => Promise<ApiResponse>)[], code: string): Promise<void> => {
  const responses = await Promise.all(requests.map(insist));
  const winners = responses.filter(({ status }) => status < 300);
  assert.equal(winners.length, 1, responses.map(({ status, text }) => `${status} ${text.slice(0, 300)}`).join('\n'));
  for (const { status, body } of responses) if (status >= 300) assert.equal(body.errors?.[0].code, code);
};

forEachApp((client, _, name) => {
  const staffing = new Staffing(client);

  const assign = (ids: readonly number[]) => ids.map(id => () => staffing.setStatus(id, 6));
  const put = (path: string, body: object) => () => client.call('PUT', path, { body });
  const post = (body: object) => () => client.call('POST', '/assignments', { body });

  describe('of 16 simultaneous requests one wins', () => {
    it('for the last place, by changes of status', async () => {
      for (const _round of rounds) {
        const place = await staffing.shift(...span, { quantity: 1 });
        const ids = await Promise.all(crowd.map(async () => staffing.assignment(await staffing.employee(), place)));
        await race(assign(ids), 'function_full');
        assert.equal((await client.call('GET', `/event-functions/${place}`)).body.statistics, '1/1');
      }
    });

    it('for the last place, by new assignments', async () => {
      for (const _round of rounds) {
        const place = await staffing.shift(...span, { quantity: 1 });
        const employees = await Promise.all(crowd.map(() => staffing.employee()));
        await race(
          employees.map(employee_id => post({ employee_id, event_function_id: place, status: 5 })),
          'function_full',
        );
        assert.equal((await client.call('GET', `/event-functions/${place}`)).body.statistics, '1/1');
      }
    });

    it('for the same hours of one employee, by changes of status', async () => {
      for (const _round of rounds) {
        const employee = await staffing.employee();
        const ids = await Promise.all(
          crowd.map(async () => staffing.assignment(employee, await staffing.shift(...span))),
        );
        await race(assign(ids), 'double_booked');
      }
    });

    it('for the same hours of one employee, by new assignments', async () => {
      for (const _round of rounds) {
        const employee_id = await staffing.employee();
        const places = await Promise.all(crowd.map(() => staffing.shift(...span)));
        await race(
          places.map(event_function_id => post({ employee_id, event_function_id, status: 6 })),
          'double_booked',
        );
      }
    });

    it('to be in an event function, of the same employee', async () => {
      for (const _round of rounds) {
        const [employee_id, event_function_id] = [await staffing.employee(), await staffing.shift(...span)];
        await race(
          crowd.map(() => post({ employee_id, event_function_id })),
          'already_in_function',
        );
      }
    });

    it('to move there, by the times of assignments', async () => {
      for (const _round of rounds) {
        const employee = await staffing.employee();
        const ids = await Promise.all(
          crowd.map(async index => staffing.assignment(employee, await staffing.shift(...dayOf(index)), 6)),
        );
        await race(
          ids.map(id => put(`/assignments/${id}/time`, { start: span[0], end: span[1] })),
          'double_booked',
        );
      }
    });

    it('to move there, by the times of event functions', async () => {
      for (const _round of rounds) {
        const employee = await staffing.employee();
        const places = await Promise.all(crowd.map(index => staffing.shift(...dayOf(index))));
        for (const place of places) await staffing.assignment(employee, place, 6);
        await race(
          places.map(place => put(`/event-functions/${place}`, { start: span[0], end: span[1] })),
          'double_booked',
        );
      }
    });

    it('to move there, by the times of events', async () => {
      for (const _round of rounds) {
        const employee = await staffing.employee();
        const events = await Promise.all(crowd.map(index => staffing.event(...dayOf(index))));
        for (const event of events) await staffing.assignment(employee, await staffing.place(event), 6);
        await race(
          events.map(event => put(`/events/${event}`, { start: span[0], end: span[1] })),
          'double_booked',
        );
      }
    });

    it('to be there, by whichever way', async () => {
      for (const _round of rounds) {
        const employee = await staffing.employee();
        const requests = await Promise.all(
          crowd.map(async index => {
            if (index % 4 === 0) return assign([await staffing.assignment(employee, await staffing.shift(...span))]);
            const event = await staffing.event(...dayOf(index));
            const place = await staffing.place(event);
            const id = await staffing.assignment(employee, place, 6);
            const path = ['', `/assignments/${id}/time`, `/event-functions/${place}`, `/events/${event}`][index % 4];
            return [put(String(path), { start: span[0], end: span[1] })];
          }),
        );
        await race(requests.flat(), 'double_booked');
      }
    });
  });

  it('of a booking and a move of its event or event function that clash only together one gets through', async () => {
    const pairs = await Promise.all(
      crowd.map(async index => {
        const employee = await staffing.employee();
        await staffing.assignment(employee, await staffing.shift(...span), 6);
        const event = await staffing.event(...dayOf(index));
        const place = await staffing.place(event);
        const path = index % 2 ? `/events/${event}` : `/event-functions/${place}`;
        return { id: await staffing.assignment(employee, place, 5), path };
      }),
    );
    await Promise.all(
      pairs.map(({ id, path }) =>
        race([...assign([id]), put(path, { start: span[0], end: span[1] })], 'double_booked'),
      ),
    );
  });

  it('functions that change places between two events at once all get through, and take their places with them', async () => {
    const events = [await staffing.event(...span), await staffing.event(...span)];
    const places = await Promise.all(crowd.map(index => staffing.place(Number(events[index % 2]), { quantity: 1 })));
    for (const place of places) await staffing.assignment(await staffing.employee(), place, 5);
    // On a server none is to wait for another that waits for it: no response is a 503.
    const send = name === 'embedded' ? insist : (request: () => Promise<ApiResponse>) => request();
    for (const round of rounds) {
      const responses = await Promise.all(
        places.map((place, index) => send(put(`/event-functions/${place}`, { event_id: events[(index + round) % 2] }))),
      );
      for (const { status, text } of responses) assert.equal(status, 200, text.slice(0, 300));
      for (const event of events) assert.equal((await client.call('GET', `/events/${event}`)).body.statistics, '8/8');
    }
  });

  if (name === 'postgres')
    it('a move that finds out late who is booked begins again instead of waiting, as others may wait for it', async () => {
      const employee = await staffing.employee();
      const place = await staffing.shift(...span);
      const db = client.database.forTenant(client.tenant);
      const scope = { field: 'event_function_id', id: place } as const;
      const call = { parameters: [], fields: {}, principal: { apiUser: { id: 1 } } } as unknown as Call;
      const locked = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      let holding = Promise.resolve();
      let runs = 0;
      await db.transaction(async transaction => {
        runs++;
        await lockBooked(scope, transaction);
        const timed = await selectTimed(scope, transaction).execute();
        if (runs === 1) {
          await staffing.assignment(employee, place, 6);
          holding = db.transaction(async other => {
            await lockEmployees([employee], other);
            locked.resolve();
            await release.promise;
          });
          await locked.promise;
        }
        await checkChangedTimes(scope, timed, transaction, call).finally(async () => {
          release.resolve();
          await holding;
        });
      });
      assert.equal(runs, 2);
    });

  it('bulk changes of the same assignments in any order wait for one another, and all get through', async () => {
    const place = await staffing.shift(...span, { quantity: 100 });
    const other = await staffing.shift(...dayOf(1), { quantity: 100 });
    const employees = await Promise.all(crowd.map(() => staffing.employee()));
    const ids: number[] = [];
    for (const employee of employees)
      for (const at of [place, other]) ids.push(await staffing.assignment(employee, at));
    const responses = await Promise.all(
      crowd.map(index => {
        const assignment_ids = index % 2 ? ids : ids.toReversed();
        return insist(put('/assignments/status', { assignment_ids, status: [5, 6, 1][index % 3] }));
      }),
    );
    for (const { status, text } of responses) assert.equal(status, 200, text.slice(0, 300));
    const { body } = await client.call('GET', `/assignments?event_function_id=${place}&fields=status`);
    const holding = body.filter(({ status }: { status: number }) => status !== 1).length;
    assert.equal((await client.call('GET', `/event-functions/${place}`)).body.statistics, `${holding}/100`);
  });
});
