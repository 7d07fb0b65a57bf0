import assert from 'node:assert/strict';
import { it } from 'node:test';
import { categories } from '../../../src/core/resource/categories.ts';
import { describeHiding, differing } from './scene.ts';
import { closely, walk } from './walk.ts';

describeHiding(hiding => {
  it('all categories: every filter, sort, selection and hint of every listing, and the document', async () => {
    const { userOf, change } = hiding();
    const user = await userOf(categories);
    const steps = [{ method: 'GET', target: '/openapi.json' }, ...closely()];
    const seen = await walk(steps, user);
    assert.ok(seen.filter(({ text }) => text.includes('unknown_field')).length > steps.length / 3);
    for (const category of categories) await change(category);
    const differences = differing(seen, await walk(steps, user));
    assert.deepEqual(differences.slice(0, 3), [], `${differences.length} of ${steps.length} responses differ`);
  });

  it('the document of the user has no hidden field, wherever it could stand', async () => {
    const { userOf, other } = hiding();
    const [shown, whole] = [await userOf(['contact']), other].map(
      async send => (await send({ method: 'GET', target: '/openapi.json' })).body,
    );
    const of = (document: Awaited<typeof shown>, schema: string) =>
      Object.keys(document.components.schemas[schema].properties);
    for (const schema of ['EmployeeWithRelations', 'EmployeeCreate', 'EmployeeUpdate']) {
      assert.ok(of(await whole, schema).includes('mobile'), schema);
      assert.ok(!of(await shown, schema).includes('mobile'), schema);
      assert.ok(of(await shown, schema).includes('lastname'), schema);
    }
    const filters = ({ paths }: Awaited<typeof shown>): string => JSON.stringify(paths['/employees'].get.parameters);
    assert.match(filters(await whole), /"mobile"/);
    assert.doesNotMatch(filters(await shown), /mobile/);
  });
});
