import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertConflict, assertErrors, insist, Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const staffing = new Staffing(client);

  const newAssignment = (status: number): Promise<number> =>
    staffing.newAssignment('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z', status);

  const checkIn = (assignment_id: number, type: number, time: string, source = 1) =>
    client.call('POST', '/checkins', { body: { assignment_id, type, source, timestamp: `2026-06-12T${time}:00Z` } });

  /** Check-ins given as type and time; their ids. */
  const checkInAll = async (assignment: number, ...given: readonly string[]): Promise<number[]> => {
    const ids: number[] = [];
    for (const each of given) {
      const [type, time = ''] = each.split(' ');
      const response = await checkIn(assignment, Number(type), time);
      assert.equal(response.status, 201, response.text);
      ids.push(response.body.id);
    }
    return ids;
  };

  it('check-ins come as start, breaks, end, each later than the one before', async () => {
    const id = await newAssignment(6);
    assertErrors(await checkIn(id, 4, '16:00'), 'checkin_order type');
    await checkInAll(id, '1 16:00', '2 17:00', '3 17:30', '2 18:00');
    assertErrors(await checkIn(id, 4, '19:00'), 'checkin_order type');
    assertErrors(await checkIn(id, 3, '17:45'), 'checkin_order type');
    await checkInAll(id, '3 18:30', '4 22:00');
  });

  it('a check-in needs an assigned or confirmed assignment', async () => {
    assertErrors(await checkIn(await newAssignment(5), 1, '16:00'), 'checkin_order type');
  });

  it('a check-in of the apps outside the window is refused, one of another system stored', async () => {
    const id = await newAssignment(6);
    assertErrors(await checkIn(id, 1, '14:59'), 'outside_checkin_window timestamp');
    assert.equal((await checkIn(id, 1, '14:59', 2)).status, 201);
  });

  it('a check-in that comes again has the one that is there as its response', async () => {
    const id = await newAssignment(6);
    const [first, again] = [await checkIn(id, 1, '16:00'), await checkIn(id, 1, '16:00')];
    assert.deepEqual([first.status, again.status], [201, 200]);
    assert.deepEqual(again.body, first.body);
  });

  const stored = async (assignment_id: number): Promise<[id: number, type: number, timestamp: string][]> => {
    const { body } = await client.call('GET', `/checkins?assignment_id=${assignment_id}&sort=timestamp`);
    return body.map(({ id, type, timestamp }: { id: number; type: number; timestamp: string }) => [
      id,
      type,
      timestamp,
    ]);
  };

  /** A whole day's check-ins: start, one break, end. */
  const day = async (): Promise<{ assignment: number; ids: number[] }> => {
    const assignment = await newAssignment(6);
    const ids = await checkInAll(assignment, '1 16:00', '2 18:00', '3 18:30', '4 22:00');
    return { assignment, ids };
  };

  it('of 16 equal check-ins at once one is stored, and all get the same response', async () => {
    const id = await newAssignment(6);
    const responses = await Promise.all(Array.from({ length: 16 }, () => insist(() => checkIn(id, 1, '16:00'))));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [...Array(15).fill(200), 201]);
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
    assert.equal((await stored(id)).length, 1);
  });

  it('of 16 starts of one assignment at different times at once one is stored', async () => {
    const id = await newAssignment(6);
    const responses = await Promise.all(
      Array.from({ length: 16 }, (__, index) => insist(() => checkIn(id, 1, `16:${10 + index}`))),
    );
    assert.equal(responses.filter(({ status }) => status === 201).length, 1);
    for (const response of responses.filter(({ status }) => status !== 201))
      assertErrors(response, 'checkin_order type');
    assert.equal((await stored(id)).length, 1);
  });

  it('a check-in keeps its place among the others when its time changes', async () => {
    const { assignment, ids } = await day();
    const move = (index: number, time: string) =>
      client.call('PUT', `/checkins/${ids[index]}`, { body: { timestamp: `2026-06-12T${time}:00Z` } });
    for (const time of ['16:00', '15:30', '18:30', '19:00'])
      assertErrors(await move(1, time), 'checkin_order timestamp');
    assertErrors(await move(0, '14:59'), 'outside_checkin_window timestamp');
    assertErrors(await move(3, '18:00'), 'checkin_order timestamp');
    assert.equal((await move(1, '18:10')).body.timestamp, '2026-06-12T18:10:00Z');
    assert.deepEqual(
      (await stored(assignment)).map(([id]) => id),
      ids,
    );
  });

  it('a change that would make two of one check-in is refused', async () => {
    const id = await newAssignment(6);
    const ids = await checkInAll(id, '1 16:00', '2 17:00', '3 17:30', '2 18:00', '3 18:30');
    const response = await client.call('PUT', `/checkins/${ids[3]}`, { body: { timestamp: '2026-06-12T17:00:00Z' } });
    assertErrors(response, 'duplicate_checkin timestamp');
  });

  it('the last check-in is removed first: one that others rest on stays', async () => {
    const { assignment, ids } = await day();
    const remove = (index: number) => client.call('DELETE', `/checkins/${ids[index]}`);
    for (const index of [0, 1, 2]) assertConflict(await remove(index), 'checkin_order');
    for (const index of [3, 2, 1, 0]) assert.equal((await remove(index)).status, 204);
    assert.deepEqual(await stored(assignment), []);
  });

  it('of two removals at once that would leave a gap one is refused', async () => {
    const { assignment, ids } = await day();
    await client.call('DELETE', `/checkins/${ids[3]}`);
    await Promise.all([2, 1].map(index => client.call('DELETE', `/checkins/${ids[index]}`)));
    const types = (await stored(assignment)).map(([, type]) => type).join('');
    assert.ok(['1', '12'].includes(types), types);
  });

  it('a hash is kept as it is, changed by an update, and a text without blanks', async () => {
    const id = await newAssignment(6);
    const body = { assignment_id: id, type: 1, source: 2, timestamp: '2026-06-12T16:00:00Z' };
    for (const hash of ['two words', 'ä', '<'])
      assertErrors(await client.call('POST', '/checkins', { body: { ...body, hash } }), 'invalid_format hash');
    const made = await client.call('POST', '/checkins', { body: { ...body, hash: 'q4r+/7==' } });
    assert.deepEqual([made.status, made.body.hash], [201, 'q4r+/7==']);
    const again = await client.call('POST', '/checkins', { body: { ...body, hash: 'other' } });
    assert.deepEqual([again.status, again.body.hash], [200, 'q4r+/7==']);
    const put = (hash: string | null) => client.call('PUT', `/checkins/${made.body.id}`, { body: { hash } });
    assert.equal((await put('c4a1f09e')).body.hash, 'c4a1f09e');
    assert.equal((await put('')).body.hash, null);
    assert.equal((await put('q4r+/7==')).body.hash, 'q4r+/7==');
    assert.equal((await put(null)).body.hash, null);
  });

  it('the window is the one that the event, or else its project, tells, both ends included', async () => {
    const event = await staffing.event('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z', {
      configurations: { checkins: { minutes_before: 10, minutes_after: 5 } },
    });
    const id = await staffing.assignment(await staffing.employee(), await staffing.place(event), 6);
    assertErrors(await checkIn(id, 1, '15:49'), 'outside_checkin_window timestamp');
    assert.equal((await checkIn(id, 1, '15:50')).status, 201);
    assertErrors(await checkIn(id, 4, '22:06'), 'outside_checkin_window timestamp');
    assert.equal((await checkIn(id, 4, '22:05')).status, 201);
  });
});
