import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertConflict, assertErrors, insist, Staffing } from '../../domain/staffing/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const staffing = new Staffing(client);

  const newAssignment = (status: number): Promise<number> =>
    staffing.newAssignment('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z', status);

  const stamp = (assignment_id: number, type: number, time: string, more: object = {}) =>
    client.call('POST', '/livestamps', { body: { assignment_id, type, timestamp: `2026-06-12T${time}:00Z`, ...more } });

  it('livestamps come in the order of check-ins, and independently of them', async () => {
    const id = await newAssignment(6);
    assertErrors(await stamp(id, 2, '17:00'), 'checkin_order type');
    const ids: number[] = [];
    for (const [type, time] of [
      [1, '16:00'],
      [2, '17:00'],
      [3, '17:30'],
      [4, '22:00'],
    ] as const)
      ids.push((await stamp(id, type, time)).body.id);
    assertErrors(await stamp(id, 4, '23:00'), 'checkin_order type');
    const put = (body: object) => client.call('PUT', `/livestamps/${ids[0]}`, { body });
    assertErrors(await put({ timestamp: '2026-06-12T18:00:00Z' }), 'checkin_order timestamp');
    assert.equal((await put({ latitude: 54.1 })).body.latitude, 54.1);
    assertConflict(await client.call('DELETE', `/livestamps/${ids[0]}`), 'checkin_order');
    assert.equal((await client.call('DELETE', `/livestamps/${ids[3]}`)).status, 204);
    const checkin = { assignment_id: id, type: 1, source: 2, timestamp: '2026-06-12T16:00:00Z' };
    assert.equal((await client.call('POST', '/checkins', { body: checkin })).status, 201);
  });

  it('a livestamp needs an assigned or confirmed assignment, and shows whose it is', async () => {
    assertErrors(await stamp(await newAssignment(5), 1, '16:00'), 'checkin_order type');
    const employee = await staffing.employee();
    const id = await staffing.assignment(
      employee,
      await staffing.shift('2026-06-12T16:00:00Z', '2026-06-12T22:00:00Z'),
      6,
    );
    const { body } = await stamp(id, 1, '16:00');
    assert.equal(body.employee_id, employee);
    assertErrors(await client.call('PUT', `/livestamps/${body.id}`, { body: { type: 2 } }), 'checkin_order type');
    assertErrors(await stamp(id, 2, '17:00', { employee_id: employee }), 'read_only employee_id');
  });

  it('of 16 equal livestamps at once one is stored, and all get the same response', async () => {
    const id = await newAssignment(6);
    const responses = await Promise.all(
      Array.from({ length: 16 }, () => insist(() => stamp(id, 1, '16:00', { latitude: 54, longitude: 12 }))),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [...Array(15).fill(200), 201]);
    assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
  });

  it('coordinates lie on the earth, with six places', async () => {
    const id = await newAssignment(6);
    assertErrors(
      await stamp(id, 1, '16:00', { latitude: 90.1, longitude: -180.1 }),
      'out_of_range latitude',
      'out_of_range longitude',
    );
    assertErrors(await stamp(id, 1, '16:00', { latitude: 1.1234567 }), 'out_of_range latitude');
    const { body } = await stamp(id, 1, '16:00', { latitude: -90, longitude: 180 });
    assert.deepEqual([body.latitude, body.longitude], [-90, 180]);
  });
});
