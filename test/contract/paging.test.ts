import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forAnyApp } from '../support/for-each-app.ts';

forAnyApp(client => {
  const first: number[] = [];

  before(async () => {
    // Equal and missing values of the sort fields.
    for (let index = 0; index < 30; index++) first.push(await add(index % 4 === 0 ? null : `City ${index % 3}`));
  });

  const add = async (city: string | null): Promise<number> =>
    (await client.call('POST', '/clients', { body: { company: 'Paged', city } })).body.id;
  const nextOf = (link: unknown) => /<\/api\/v1([^>]+)>; rel="next"/.exec(String(link ?? ''))?.[1] ?? null;

  describe('pages', () => {
    for (const sort of ['id', '-id', 'city', '-city', 'company,-city', '-updated_at,city']) {
      it(`by ${sort} contain every existing record exactly once, while records are added and changed`, async () => {
        const [moved] = first.slice(-1);
        const seen: number[] = [];
        let turn = 0;
        for (let path: string | null = `/clients?sort=${sort}&limit=4&fields=id`; path; turn++) {
          const page = await client.call('GET', path);
          assert.equal(page.status, 200, page.text);
          seen.push(...page.body.map(({ id }: { id: number }) => id));
          path = nextOf(page.headers.link);
          // Adds records before, among and after those already returned, and changes one of these.
          if (turn < 3) await Promise.all([add(null), add('City 0'), add('Zz')]);
          await client.call('PUT', `/clients/${moved}`, { body: { zip: String(turn) } });
        }
        assert.equal(new Set(seen).size, seen.length, 'each once');
        const missing = first.filter(id => !seen.includes(id));
        assert.deepEqual(sort.includes('updated_at') ? missing.filter(id => id !== moved) : missing, []);
      });
    }

    it('are valid only with the filters and the order of the first request', async () => {
      const { headers } = await client.call('GET', '/clients?sort=city&limit=2&company=Paged');
      const next = nextOf(headers.link) ?? '';
      assert.equal((await client.call('GET', next)).status, 200);
      for (const other of ['sort=-city', 'sort=city,id', 'sort=company']) {
        const { status, body } = await client.call('GET', next.replace('sort=city', other));
        assert.deepEqual([status, body.code], [400, 'invalid_cursor'], other);
      }
      const { status, body } = await client.call('GET', next.replace('Paged', 'Other'));
      assert.deepEqual([status, body.code], [400, 'invalid_cursor']);
    });
  });
});
