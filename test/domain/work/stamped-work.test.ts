import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { worksOf } from '../../../src/domain/work/stamped-work.ts';
import { workedIn } from '../../../src/domain/work/worked.ts';
import { Random } from '../../replica/random.ts';
import { forAnyApp } from '../../support/for-each-app.ts';
import { Payroll } from './scene.ts';

/** Stamps of one day, given as type and time in UTC. */
const stamps = (given: string, date = '2026-06-12') =>
  given.split(', ').map((text, id) => {
    const [type, time] = text.split(' ');
    return { id, type: Number(type), timestamp: `${date}T${time}Z` };
  });

/** The start of the day of the stamps, in seconds since 1970. */
const midnight = Date.parse('2026-06-12T00:00:00Z') / 1000;

/** The times of works, without their date. */
const shown = (works: ReturnType<typeof worksOf>): readonly string[] =>
  works.map(work =>
    [work.start, work.end, work.break_start, work.break_end].map(time => time?.slice(11, 19) ?? '-').join(' '),
  );

const works: readonly [given: string, minutes: number, ...want: string[]][] = [
  ['1 16:00:29, 4 22:00:30', 1, '16:00:00 22:01:00 - -'],
  ['1 16:07:29, 4 22:07:30', 15, '16:00:00 22:15:00 - -'],
  ['1 16:00:00, 2 18:00:00, 3 18:30:00, 4 22:00:00', 1, '16:00:00 22:00:00 18:00:00 18:30:00'],
  [
    '1 16:00:00, 2 17:00:00, 3 17:10:00, 2 19:00:00, 3 19:20:00, 4 22:00:00',
    1,
    '16:00:00 19:00:00 17:00:00 17:10:00',
    '19:20:00 22:00:00 - -',
  ],
  [
    '1 06:00:00, 2 07:00:00, 3 07:10:00, 2 09:00:00, 3 09:20:00, 2 11:00:00, 3 11:05:00, 4 12:00:00',
    1,
    '06:00:00 09:00:00 07:00:00 07:10:00',
    '09:20:00 12:00:00 11:00:00 11:05:00',
  ],
  // A break that rounding leaves nothing of is none; those that are left keep their place.
  ['1 16:00:00, 2 17:00:00, 3 17:05:00, 2 19:00:00, 3 19:20:00, 4 22:00:00', 30, '16:00:00 22:00:00 19:00:00 19:30:00'],
  ['1 16:00:00, 2 17:00:00, 3 17:05:00, 4 22:00:00', 15, '16:00:00 22:00:00 - -'],
  // Nor is work of which nothing is left before or between breaks.
  ['1 16:00:00, 2 16:05:00, 3 17:00:00, 2 17:05:00, 3 18:00:00, 4 22:00:00', 15, '18:00:00 22:00:00 - -'],
  ['1 16:00:00, 4 16:06:00', 15],
  ['1 16:00:00, 2 17:00:00', 1],
  ['1 16:00:00', 1],
];

/** Returns random stamps of one day with up to six breaks, at whole seconds. */
const randomStamps = (random: Random): string => {
  const breaks = random.integer(0, 6);
  const seconds = new Set<number>();
  while (seconds.size < 2 + 2 * breaks) seconds.add(random.integer(0, 80_000));
  const times = [...seconds].sort((a, b) => a - b).map(second => new Date(second * 1000).toISOString().slice(11, 19));
  return times.map((time, index) => `${typeAt(index, times.length)} ${time}`).join(', ');
};
const typeAt = (index: number, count: number): number =>
  index === 0 ? 1 : index === count - 1 ? 4 : index % 2 === 1 ? 2 : 3;

/** Returns the minutes of the day that are worked, from stamps rounded by themselves. */
const minutesOf = (given: string, step: number): readonly number[] => {
  const rounded = given.split(', ').map(text => {
    const [hours = 0, minutes = 0, seconds = 0] = text.slice(2).split(':').map(Number);
    return Math.floor((hours * 60 + minutes + seconds / 60) / step + 0.5) * step;
  });
  const isWorked = (minute: number) => rounded.filter(boundary => boundary <= minute).length % 2 === 1;
  return Array.from({ length: 1500 }, (_, minute) => minute).filter(isWorked);
};

describe('the work of check-ins', () => {
  for (const [given, minutes, ...want] of works)
    test(`${given}, rounded to ${minutes} minutes, is ${want.join(' and ') || 'none'}`, () =>
      assert.deepEqual(shown(worksOf(stamps(given), minutes, 'UTC')), want));

  test('is the stamped time after rounding, in as few records as can have one break each, in their order', () => {
    const random = new Random(11);
    for (let round = 0; round < 2000; round++) {
      const given = randomStamps(random);
      const step = [1, 5, 15, 30, 60][round % 5] as number;
      const found = worksOf(stamps(given), step, 'UTC');
      const parts = workedIn(found);
      const minutes = parts.flatMap(({ from, to }) =>
        Array.from({ length: (to - from) / 60 }, (_, index) => (from - midnight) / 60 + index),
      );
      assert.deepEqual(minutes, minutesOf(given, step), given);
      assert.equal(found.length, Math.ceil(parts.length / 2), given);
    }
  });

  test('is rounded in the local time of the tenant', () => {
    // 10:40 to 16:10 in Kathmandu, which is 5:45 ahead.
    assert.deepEqual(shown(worksOf(stamps('1 04:55:00, 4 10:25:00'), 60, 'Asia/Kathmandu')), ['05:15:00 10:15:00 - -']);
    assert.deepEqual(shown(worksOf(stamps('1 04:55:00, 4 10:25:00'), 60, 'UTC')), ['05:00:00 10:00:00 - -']);
  });

  test('keeps its length over a change of clocks', () => {
    // From 1:03 to 4:03 in Berlin: two hours in spring, and four in autumn.
    assert.deepEqual(shown(worksOf(stamps('1 00:03:00, 4 02:03:00', '2026-03-29'), 15, 'Europe/Berlin')), [
      '00:00:00 02:00:00 - -',
    ]);
    assert.deepEqual(shown(worksOf(stamps('1 00:10:00, 4 01:10:00', '2026-10-25'), 15, 'Europe/Berlin')), [
      '00:15:00 01:15:00 - -',
    ]);
  });
});

forAnyApp(client => {
  const payroll = new Payroll(client);
  const { staffing } = payroll;
  const from_checkins = 1;

  /** An assigned employee of an event, or a project, with this configuration. */
  const assignment = async (setting: object | null, project: object | null = null): Promise<number> => {
    const configurations = (given: object | null) => given && { work_time_proposals: given };
    const project_id = await payroll.post('projects', { name: 'P', configurations: configurations(project) });
    const event = await staffing.event('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z', {
      project_id,
      configurations: configurations(setting),
    });
    return staffing.assignment(await staffing.employee(), await staffing.place(event), 6);
  };

  const checkIn = (assignment_id: number, type: number, time: string, query = '') => {
    const timestamp = time.length > 8 ? time : `2026-06-12T${time}Z`;
    return client.call('POST', `/checkins${query}`, { body: { assignment_id, type, source: 2, timestamp } });
  };
  /** Checks in as given; the ids of the check-ins. */
  const checkInAll = async (id: number, given: string): Promise<number[]> => {
    const ids: number[] = [];
    for (const { type, timestamp } of stamps(given)) ids.push((await checkIn(id, type, timestamp)).body.id);
    return ids;
  };
  const proposals = (id: number) => payroll.list(`/work-time-proposals?assignment_id=${id}`);
  const timesOf = async (id: number) =>
    (await proposals(id)).map(({ source, status, start, end }) => [
      source,
      status,
      start.slice(11, 16),
      end.slice(11, 16),
    ]);

  describe('a check-out', () => {
    it('proposes the times of the check-ins, as the event says, else its project', async () => {
      for (const [setting, project] of [
        [
          { from_checkins, round_minutes: 15 },
          { from_checkins: 0, round_minutes: 60 },
        ],
        [{ round_minutes: 15 }, { from_checkins, round_minutes: 60 }],
        [null, { from_checkins, round_minutes: 15 }],
      ] as const) {
        const id = await assignment(setting, project);
        await checkInAll(id, '1 16:04:00, 2 18:01:00, 3 18:31:00');
        assert.deepEqual(await proposals(id), []);
        await checkInAll(id, '4 21:53:00');
        const [{ start, end, break_start, break_end, source, status }, ...others] = await proposals(id);
        assert.deepEqual(
          [source, status, start, end, break_start, break_end, others],
          [3, 1, ...['16:00', '22:00', '18:00', '18:30'].map(time => `2026-06-12T${time}:00Z`), []],
        );
      }
    });

    it('proposes nothing unless the configurations say so', async () => {
      for (const setting of [null, { enabled: 1 }, { from_checkins: 0, round_minutes: 15 }]) {
        const id = await assignment(setting);
        await checkInAll(id, '1 16:00:00, 4 22:00:00');
        assert.deepEqual(await proposals(id), []);
      }
    });

    it('after several breaks proposes the stamped time, with one break at most each, which is paid as stamped', async () => {
      const id = await assignment({ from_checkins });
      const breaks = '2 17:00:00, 3 17:15:00, 2 19:00:00, 3 19:30:00';
      const stamped = await checkInAll(id, `1 16:00:00, ${breaks}, 4 22:00:00`);
      const times = async () =>
        (await proposals(id)).map(({ start, end, break_start, break_end }: Record<string, string | null>) =>
          [start, end, break_start, break_end].map(time => time?.slice(11, 16) ?? '-').join(' '),
        );
      assert.deepEqual(await times(), ['16:00 19:00 17:00 17:15', '19:30 22:00 - -']);
      const [first, second] = await proposals(id);
      // The one that is accepted stays; the other follows the check-out.
      assert.equal((await payroll.accept(first.id)).status, 200);
      await payroll.put(`/checkins/${stamped.at(-1)}`, { timestamp: '2026-06-12T21:45:00Z' });
      assert.deepEqual(await times(), ['16:00 19:00 17:00 17:15', '19:30 21:45 - -']);
      assert.equal((await proposals(id))[1].id, second.id);
      assert.equal((await payroll.accept(second.id)).status, 200);
      const works = await payroll.list(`/work-times?event_function_employee_id=${id}`);
      assert.equal(
        works.reduce((sum: number, { minutes }: { minutes: number }) => sum + minutes, 0),
        300,
      );
    });

    it('without its last break leaves one proposal', async () => {
      const id = await assignment({ from_checkins });
      const given = '1 16:00:00, 2 17:00:00, 3 17:15:00, 2 19:00:00, 3 19:30:00, 4 22:00:00';
      const ids = await checkInAll(id, given);
      for (const stamp of ids.slice(3).reverse())
        assert.equal((await client.call('DELETE', `/checkins/${stamp}`)).status, 204);
      assert.deepEqual(await proposals(id), []);
      await checkInAll(id, '4 22:00:00');
      assert.deepEqual(await timesOf(id), [[3, 1, '16:00', '22:00']]);
    });

    it('that comes again, or is only rehearsed, proposes nothing more', async () => {
      const id = await assignment({ from_checkins });
      await checkInAll(id, '1 16:00:00');
      assert.equal((await checkIn(id, 4, '22:00:00', '?dry_run=true')).status, 201);
      assert.deepEqual(await proposals(id), []);
      for (const status of [201, 200]) assert.equal((await checkIn(id, 4, '22:00:00')).status, status);
      assert.equal((await proposals(id)).length, 1);
    });

    it('takes its proposal back when it is deleted, and makes another when it comes anew', async () => {
      const id = await assignment({ from_checkins });
      const [, out] = await checkInAll(id, '1 16:00:00, 4 22:00:00');
      assert.equal((await client.call('DELETE', `/checkins/${out}`)).status, 204);
      assert.deepEqual(await proposals(id), []);
      await checkInAll(id, '4 22:30:00');
      assert.deepEqual(await timesOf(id), [[3, 1, '16:00', '22:30']]);
    });

    it('and the start move the open proposal with them', async () => {
      const id = await assignment({ from_checkins });
      const [start, out] = await checkInAll(id, '1 16:00:00, 4 22:00:00');
      const [{ id: proposal }] = await proposals(id);
      await payroll.put(`/checkins/${out}`, { timestamp: '2026-06-12T22:15:00Z' });
      await payroll.put(`/checkins/${start}`, { timestamp: '2026-06-12T16:05:00Z' });
      await payroll.put(`/checkins/${start}`, { hash: 'abc' });
      assert.deepEqual(await timesOf(id), [[3, 1, '16:05', '22:15']]);
      assert.equal((await proposals(id))[0].id, proposal);
    });

    it('leaves decided and signed proposals as they are, and proposes other times anew, each once', async () => {
      const signed = { signed_at: '2026-06-12T22:10:00Z' };
      for (const decision of [{ status: 3 }, { status: 2 }, signed]) {
        const id = await assignment({ from_checkins });
        const [, out] = await checkInAll(id, '1 16:00:00, 4 22:00:00');
        const [{ id: proposal }] = await proposals(id);
        const { body } = await payroll.put(`/work-time-proposals/${proposal}`, decision);
        await client.call('DELETE', `/checkins/${out}`);
        const [again] = await checkInAll(id, '4 22:00:00');
        assert.deepEqual(await timesOf(id), [[3, body.status, '16:00', '22:00']]);
        await payroll.put(`/checkins/${again}`, { timestamp: '2026-06-12T21:00:00Z' });
        assert.deepEqual(await timesOf(id), [
          [3, body.status, '16:00', '22:00'],
          [3, 1, '16:00', '21:00'],
        ]);
      }
    });

    it("changes no employee's own proposal", async () => {
      const id = await assignment({ from_checkins });
      await payroll.propose(id, { end: '2026-06-12T21:00:00Z' });
      const [, out] = await checkInAll(id, '1 16:00:00, 4 22:00:00');
      await client.call('DELETE', `/checkins/${out}`);
      assert.deepEqual(await timesOf(id), [[1, 1, '16:00', '21:00']]);
    });

    it('proposes no work that could not be proposed by hand', async () => {
      for (const times of [
        ['2026-06-11T16:00:00Z', '2026-06-12T16:00:30Z'],
        ['2026-06-20T16:00:00Z', '2026-06-20T22:00:00Z'],
        ['2026-06-12T16:00:00Z', '2026-06-12T16:00:10Z'],
      ]) {
        const id = await assignment({ from_checkins });
        assert.equal((await checkIn(id, 1, times[0] as string)).status, 201);
        assert.equal((await checkIn(id, 4, times[1] as string)).status, 201);
        assert.deepEqual(await proposals(id), []);
      }
    });

    it('leaves an approved assignment alone', async () => {
      const id = await assignment({ from_checkins });
      assert.equal((await payroll.approve(id, '?force=true')).status, 200);
      await checkInAll(id, '1 16:00:00, 4 22:00:00');
      assert.deepEqual(await proposals(id), []);
    });
  });

  it('an accepted proposal of check-ins becomes work that tells so, and nothing is left to propose', async () => {
    const id = await assignment({ enabled: 1, from_checkins });
    const types = async () =>
      (await client.call('GET', `/assignments/${id}/open-actions`)).body.actions.map(
        ({ type }: { type: string }) => type,
      );
    assert.deepEqual(await types(), ['confirm', 'submit_work_time']);
    await checkInAll(id, '1 16:00:00, 4 22:00:00');
    assert.deepEqual(await types(), ['confirm']);
    const [{ id: proposal }] = await proposals(id);
    assert.equal((await payroll.accept(proposal)).status, 200);
    const [work] = await payroll.list(`/work-times?event_function_employee_id=${id}`);
    assert.deepEqual([work.source, work.minutes, work.is_approved], [3, 360, 1]);
  });

  it('of 16 check-outs at once, one is stored, with one proposal', async () => {
    const id = await assignment({ from_checkins });
    await checkInAll(id, '1 16:00:00');
    await Promise.all(Array.from({ length: 16 }, (_, index) => checkIn(id, 4, `21:${10 + index}:00`)));
    const [{ timestamp }] = await payroll.list(`/checkins?assignment_id=${id}&type=4`);
    assert.deepEqual(await timesOf(id), [[3, 1, '16:00', timestamp.slice(11, 16)]]);
  });
});
