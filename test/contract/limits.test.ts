import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startApp } from '../support/app.ts';
import { testDatabase } from '../support/database.ts';

it('the limits of the configuration hold for listings and reads', async () => {
  const app = await startApp(await testDatabase('embedded'), {
    limits: { filters: 2, filterValues: 3, sortFields: 1, embeds: 1 },
  });
  const { call } = await app.newClient();
  const { id } = (await call('POST', '/clients', { body: { company: 'Limited' } })).body;
  const cases: [path: string, status: number][] = [
    ['/clients?company[]=a&company[]=b', 200],
    ['/clients?company[]=a&company[]=b&status=1', 400],
    ['/clients?company=a,b,c', 200],
    ['/clients?company=a,b&status=1,2', 400],
    ['/clients?sort=company', 200],
    ['/clients?sort=company,id', 400],
    [`/clients/${id}?embed=contacts`, 200],
    [`/clients/${id}?embed=contacts,clientContacts`, 400],
  ];
  for (const [path, status] of cases) {
    const answer = await call('GET', path);
    assert.equal(answer.status, status, path);
    if (status === 400) assert.equal(answer.body.code, 'invalid_parameter', path);
  }
  await app.close();
});
