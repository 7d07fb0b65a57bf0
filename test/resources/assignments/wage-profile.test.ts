import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertErrors } from '../../domain/staffing/scene.ts';
import { Payroll, shift } from '../../domain/work/scene.ts';
import { forAnyApp } from '../../support/for-each-app.ts';

forAnyApp(client => {
  const payroll = new Payroll(client);
  const profileOf = async (id: number): Promise<number | null> =>
    (await client.call('GET', `/assignments/${id}?fields=wage_profile_id`)).body.wage_profile_id;

  it('the wage profile is that of the assignment, else of the event function, the function, the employee, the default', async () => {
    const names = ['assignment', 'place', 'function', 'employee'];
    const profiles = await Promise.all(names.map(() => payroll.profile()));
    const [{ id: standard }] = await payroll.list('/wage-profiles?is_default=1');
    for (let level = 0; level <= names.length; level++) {
      const [own, place, type, person] = profiles.map((profile, index) => (index < level ? null : profile));
      const function_id = await payroll.post('functions', { name: 'Service', wage_profile_id: type });
      const id = await payroll.post('assignments', {
        employee_id: await payroll.staffing.employee({ wage_profile_id: person }),
        event_function_id: await payroll.staffing.shift(...shift, { function_id, wage_profile_id: place }),
        status: 6,
        wage_profile_id: own,
      });
      assert.equal(await profileOf(id), [...profiles, standard][level], `level ${level}`);
    }
  });

  it('the wages of an assignment are those of its own wage profile, before, during and after an approval', async () => {
    const own = await payroll.profile([{ id: 1, name: 'Own hour', unit: 'hour', value: 20 }]);
    const id = await payroll.post('assignments', {
      employee_id: await payroll.staffing.employee(),
      event_function_id: await payroll.staffing.shift(...shift, { wage_profile_id: await payroll.profile() }),
      status: 6,
      wage_profile_id: own,
    });
    await payroll.work(id);
    assert.equal((await payroll.approve(id)).body.pay_amount, 180);
    assert.equal(await profileOf(id), own);
    assert.equal((await payroll.withdraw(id)).status, 200);
    assert.equal(await profileOf(id), own);
  });

  it('an approved wage profile stays when another one would apply, until the approval is withdrawn', async () => {
    const [first, second] = [await payroll.profile(), await payroll.profile()];
    const id = await payroll.assignment({ profile: first });
    await payroll.work(id);
    assert.equal((await payroll.approve(id)).status, 200);
    const { body } = await client.call('GET', `/assignments/${id}`);
    await payroll.put(`/event-functions/${body.event_function_id}`, { wage_profile_id: second });
    assert.equal(await profileOf(id), first);
    await payroll.withdraw(id);
    assert.equal(await profileOf(id), second);
  });

  it('the wage profile is given once, exists, and comes back unchanged', async () => {
    const own = await payroll.profile();
    const place = {
      employee_id: await payroll.staffing.employee(),
      event_function_id: await payroll.staffing.shift(...shift),
    };
    const wrong = await client.call('POST', '/assignments', { body: { ...place, wage_profile_id: 999_999 } });
    assertErrors(wrong, 'reference_not_found wage_profile_id');
    const id = await payroll.post('assignments', { ...place, wage_profile_id: own });
    assertErrors(
      await payroll.put(`/assignments/${id}`, { wage_profile_id: await payroll.profile() }),
      'read_only wage_profile_id',
    );
    const inherited = await payroll.assignment();
    const { body } = await client.call('GET', `/assignments/${inherited}`);
    const response = await payroll.put(`/assignments/${inherited}`, body);
    assert.deepEqual([response.status, response.body], [200, body], response.text);
  });
});
