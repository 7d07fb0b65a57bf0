import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Billing } from '../../domain/billing/scene.ts';
import { paid_on } from '../../domain/pay/scene.ts';
import { assertErrors } from '../../domain/staffing/scene.ts';
import type { ApiResponse } from '../../support/app.ts';
import { forEachApp } from '../../support/for-each-app.ts';

forEachApp(client => {
  const billing = new Billing(client);
  const setBilled = (assignment_billing_ids: readonly number[], more: object = {}, query = ''): Promise<ApiResponse> =>
    billing.put(`/assignment-billings/billed${query}`, { assignment_billing_ids, billed_on: paid_on, ...more });
  /** The result or the code of each. */
  const resultsOf = ({ body, text, status }: ApiResponse): string[] => {
    assert.equal(status, 200, text);
    return body.results.map(({ result, error }: { result: string; error?: { code: string } }) => error?.code ?? result);
  };
  const items = async (count: number): Promise<number[]> => {
    const company = await billing.newClient();
    await billing.terms(company, Array(count).fill({ rate: 30 }));
    const id = await billing.worked(company, await billing.function());
    assert.equal((await billing.approve(id)).status, 200);
    return (await billing.list(`/assignment-billings?assignment_id=${id}&sort=id`)).map(item => item.id);
  };
  const billedOn = async (ids: readonly number[]) =>
    (await billing.list(`/assignment-billings?id=${ids}&sort=id`)).map(({ billed_on }) => billed_on);

  describe('billing many items', () => {
    it('sets when each was billed, but of disabled ones, and null takes it back', async () => {
      const ids = await items(3);
      const [first = 0, second = 0, disabled = 0] = ids;
      await billing.put(`/assignment-billings/${disabled}`, { is_disabled: 1 });
      await billing.put(`/assignment-billings/${second}`, { billed_on: paid_on });
      const response = await setBilled([disabled, second, first, 999_999_999, first]);
      assert.deepEqual(resultsOf(response), ['invalid_transition', 'unchanged', 'changed', 'reference_not_found']);
      const { requested, changed, unchanged, failed } = response.body;
      assert.deepEqual([requested, changed, unchanged, failed], [4, 1, 1, 2]);
      assert.deepEqual(await billedOn(ids), [paid_on, paid_on, null]);
      assert.deepEqual(resultsOf(await setBilled(ids, { billed_on: null })), ['changed', 'changed', 'unchanged']);
      assert.deepEqual(await billedOn(ids), [null, null, null]);
    });

    it('that is atomic or tried out changes none', async () => {
      const ids = await items(2);
      await billing.put(`/assignment-billings/${ids[1]}`, { is_disabled: 1 });
      const refused = await setBilled(ids, { atomic: true });
      assertErrors(refused, 'invalid_transition billed_on');
      assert.equal(refused.body.errors[0].assignment_billing_id, ids[1]);
      assert.deepEqual(resultsOf(await setBilled(ids.slice(0, 1), {}, '?dry_run=true')), ['changed']);
      assert.deepEqual(await billedOn(ids), [null, null]);
    });

    it('of more than 500, of none, or at no time is rejected', async () => {
      const ids = Array.from({ length: 501 }, (_each, index) => index + 1);
      assertErrors(await setBilled(ids), 'too_many_items assignment_billing_ids');
      assertErrors(await setBilled([]), 'not_empty assignment_billing_ids');
      assertErrors(await setBilled([1], { billed_on: '1700-01-01T00:00:00Z' }), 'out_of_range billed_on');
    });
  });
});
