import { parse, refer } from '../refer.ts';
import type { PlannedOperation } from './document.ts';
import { root, targetOf, type WitnessPlan } from './plan.ts';

/** Plans every DELETE, of referenced records and the newest ones, and complete reads of all listings. */
export const planDeletes = async (plan: WitnessPlan): Promise<void> => {
  for (const operation of plan.operations) if (operation.method === 'DELETE') await planDelete(plan, operation);
  for (const operation of plan.operations) {
    if (operation.method !== 'GET') continue;
    const whole = operation.path === '/assignments' ? ['sort=-id', 'limit=500'] : [];
    for (const place of (await plan.places(operation)).slice(0, 3)) {
      await plan.send(operation.id, 'in the end', { target: targetOf(operation, place, whole) });
    }
    await plan.send(operation.id, 'in the end, xml', {
      target: targetOf(operation, {}, operation.parameters.includes('limit') ? ['limit=3'] : []).replace(
        /(\?|$)/,
        '.xml$1',
      ),
    });
  }
};

const planDelete = async (plan: WitnessPlan, operation: PlannedOperation): Promise<void> => {
  const send = (purpose: string, target: string, headers: Readonly<Record<string, string>> = {}) =>
    plan.send(operation.id, purpose, { method: 'DELETE', target, headers });
  const places = await plan.places(operation);
  const target = targetOf(operation, places[0] ?? {});
  await send('If-Match of another', target, { 'If-Match': '"other"' });
  if (operation.parameters.includes('dry_run')) {
    for (const place of places) await send('rehearsal', targetOf(operation, place, ['dry_run=true']));
  }
  for (const place of places) await send('delete', targetOf(operation, place));
  await send('delete again', target);
  await send('delete, xml', targetOf(operation, places.at(-1) ?? {}).replace(/(\?|$)/, '.xml$1'));
  if (operation.path !== `/${operation.path.split('/')[1]}/{id}`) return;
  const listing = `${root}${operation.path.replace('/{id}', '')}`;
  const newest = await plan.send(operation.id, 'newest', { target: `${listing}?sort=-id&limit=4` });
  const count = [parse(newest.result.body)].flat().length;
  for (let index = 0; index < count; index++) {
    const own = `${listing}/${refer(newest.number, `body:/${index}/id`)}`;
    const read = await plan.send(operation.id, 'read before delete', { target: own });
    await send('delete newest', own, { 'If-Match': refer(read.number, 'header:etag') });
    await plan.send(operation.id, 'read after delete', { target: own });
  }
};
