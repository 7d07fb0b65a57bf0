import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forEachApp } from '../../support/for-each-app.ts';
import { assertErrors } from '../staffing/scene.ts';
import { Payroll } from '../work/scene.ts';

/** Hours, a surcharge on public holidays, and one in the nights that begin on them. */
const types = [
  { id: 1, name: 'Base', unit: 'hour', value: 10 },
  { id: 2, name: 'Holiday', type: '2', unit: 'hour', value: 10, windows: [{ holidays: 1, week_days: [1] }] },
  { id: 3, name: 'Night', type: '2', unit: 'hour', value: 2, windows: [{ holidays: 1, from: '22:00', to: '06:00' }] },
];

const base = ['Base', 10, 9, 90];
/** The work is from 18:00 on Friday, 12 June, to 3:00 in Berlin. */
const [friday, saturday] = ['2026-06-12', '2026-06-13'];
const onFriday = [base, ['Holiday', 10, 6, 60], ['Night', 2, 5, 10]];
const onSaturday = [base, ['Holiday', 10, 3, 30]];

forEachApp(client => {
  const payroll = new Payroll(client);
  let names = 0;

  const holiday = (date: string, more: object = {}): Promise<number> =>
    payroll.post('public-holidays', { date, name: `Day ${++names}`, ...more });

  const remove = async (...ids: number[]): Promise<void> => {
    for (const id of ids) assert.equal((await client.call('DELETE', `/public-holidays/${id}`)).status, 204);
  };

  /** Two countries. */
  const countries = async (): Promise<number[]> => {
    const [{ id }] = await payroll.list('/collections?identifier=country');
    const values = await payroll.list(`/collections/${id}/values?limit=2`);
    return values.map(value => value.id);
  };

  const worked = async (location?: object): Promise<number> => {
    const id = await payroll.assignment({ profile: await payroll.profile(types) });
    if (location) {
      const location_id = await payroll.post('locations', { name: 'Hall', ...location });
      const [found] = await payroll.list(`/assignments?id=${id}&fields=event_function.id`);
      assert.equal((await payroll.put(`/event-functions/${found['event_function.id']}`, { location_id })).status, 200);
    }
    await payroll.work(id);
    return id;
  };

  describe('windows of public holidays', () => {
    it('apply on them instead of on days of the week, until the morning after', async () => {
      assert.deepEqual(await payroll.wages(await worked()), [base]);
      const first = await holiday(friday);
      assert.deepEqual(await payroll.wages(await worked()), onFriday);
      const after = await payroll.assignment({ profile: await payroll.profile(types) });
      await payroll.work(after, { start: '2026-06-12T23:00:00Z' });
      // From 1:00 on Saturday, in the night of the day before.
      assert.deepEqual(await payroll.wages(after), [
        ['Base', 10, 2, 20],
        ['Night', 2, 2, 4],
      ]);
      await remove(first);
      const second = await holiday(saturday);
      assert.deepEqual(await payroll.wages(await worked()), onSaturday);
      await remove(second);
    });

    it('follow the country of the location; without one, only holidays of everywhere count', async () => {
      const [here, there] = await countries();
      const national = await holiday(friday, { country_id: here });
      assert.deepEqual(await payroll.wages(await worked({ country: here })), onFriday);
      for (const location of [{ country: there }, { country: null }, undefined])
        assert.deepEqual(await payroll.wages(await worked(location)), [base], JSON.stringify(location));
      const everywhere = await holiday(saturday);
      for (const location of [{ country: there }, { country: null }, undefined])
        assert.deepEqual(await payroll.wages(await worked(location)), onSaturday, JSON.stringify(location));
      await remove(national, everywhere);
    });

    it('are derived anew like a changed profile: when work changes or is approved, never once it is', async () => {
      const [approved, open] = [await worked(), await worked()];
      assert.equal((await payroll.approve(approved)).status, 200);
      const day = await holiday(friday);
      assert.deepEqual([await payroll.wages(approved), await payroll.wages(open)], [[base], [base]]);
      assert.equal((await payroll.approve(open)).status, 200);
      assert.deepEqual([await payroll.wages(approved), await payroll.wages(open)], [[base], onFriday]);
      await remove(day);
      assert.deepEqual(await payroll.wages(open), onFriday);
      assert.equal((await payroll.withdraw(open)).status, 200);
      assert.equal((await payroll.approve(open)).status, 200);
      assert.deepEqual(await payroll.wages(open), [base]);
    });

    it('pay for work: what only they would pay for is not approved on another day', async () => {
      const profile = await payroll.profile([{ ...types[1], type: '1' }]);
      const id = await payroll.assignment({ profile });
      await payroll.work(id, { end: '2026-06-12T22:00:00Z' });
      assertErrors(await payroll.approve(id), 'wage_type_missing approved_by_planner_id');
      const day = await holiday(friday);
      assert.equal((await payroll.approve(id)).status, 200);
      await remove(day);
    });
  });

  describe('public holidays', () => {
    it('are of a country of the collection, or of everywhere', async () => {
      const response = await client.call('POST', '/public-holidays', {
        body: { date: friday, name: 'X', country_id: 1e6 },
      });
      assertErrors(response, 'not_in_collection country_id');
      const [country_id] = await countries();
      const day = await holiday(friday, { country_id, external_id: 'PH-77' });
      const [found] = await payroll.list('/public-holidays?external_id=PH-77');
      assert.deepEqual([found.id, found.country_id], [day, country_id]);
      await remove(day);
    });
  });
});
