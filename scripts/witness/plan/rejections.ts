import type { PlannedOperation } from './document.ts';
import { type Request, root, targetOf, type WitnessPlan } from './plan.ts';

const everyMethod = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

/** Plans, for every operation, otherwise valid requests that are rejected before the operation runs. */
export const planRejections = async (plan: WitnessPlan): Promise<void> => {
  for (const operation of plan.operations) await planRejection(plan, operation);
  const methods = new Map<string, string[]>();
  for (const { path, method } of plan.operations) methods.set(path, [...(methods.get(path) ?? []), method]);
  for (const [path, known] of methods) {
    for (const method of everyMethod.filter(other => !known.includes(other))) {
      await plan.send(path, `method ${method}`, { method, target: `${root}${path.replaceAll(/\{\w+\}/g, '1')}` });
    }
  }
};

const planRejection = async (plan: WitnessPlan, operation: PlannedOperation): Promise<void> => {
  const { method, body } = operation;
  const [place = {}] = await plan.places(operation);
  const base: Request = { method, target: targetOf(operation, place), ...(body ? { body: body.example } : {}) };
  const send = (purpose: string, request: Partial<Request>) =>
    plan.send(operation.id, purpose, { ...base, ...request });
  const at = (value: string) => targetOf(operation, Object.fromEntries(Object.keys(place).map(name => [name, value])));

  await send('no token', { headers: { Authorization: null } });
  await send('bad token', { headers: { Authorization: 'Bearer nonsense' } });
  await send('unknown host', { headers: { Host: 'nobody.localhost' } });
  await send('another tenant', { headers: { Host: 'bare.localhost' } });
  if (method !== 'GET') await send('read-only user', { headers: { Authorization: `Bearer ${plan.users.reader}` } });
  if (operation.module)
    await send('module', { headers: { Host: 'bare.localhost', Authorization: `Bearer ${plan.users.bare}` } });
  await send('unknown parameter', { target: targetOf(operation, place, ['nonsense=1']) });
  await send('unknown parameter, read', { target: targetOf(operation, place, ['fields=id', 'limit=1', 'nam=1']) });
  await send('bad flag', { target: targetOf(operation, place, ['dry_run=maybe', 'force=maybe']) });
  await send('override', { headers: { 'X-HTTP-Method-Override': 'PATCH' } });
  await send('extension', { target: base.target.replace(/(\?|$)/, '.pdf$1') });
  await send('empty page of another tenant', {
    method: 'GET',
    headers: { Host: 'bare.localhost', Authorization: `Bearer ${plan.users.bare}` },
  });
  if (Object.keys(place).length > 0) {
    for (const value of ['999999999', 'abc', '0', '-1', '99999999999999999999'])
      await send(`id ${value}`, { target: at(value) });
  }
  await send('xml error', { target: `${at('999999999').split('?')[0]}.xml?nonsense=1` });
  await send('envelope error', { target: `${at('999999999').split('?')[0]}?nonsense=1&envelope=true` });
  if (body) await planBodies(send);
};

const planBodies = async (send: (purpose: string, request: Partial<Request>) => Promise<unknown>): Promise<void> => {
  await send('content type', { headers: { 'Content-Type': 'text/plain' } });
  await send('no content type', { headers: { 'Content-Type': null } });
  await send('content coding', { headers: { 'Content-Encoding': 'br' } });
  for (const text of ['{"a":', '', '[]', 'null', '"text"', '{"__proto__":1}', '{"a":1,"a":2}'])
    await send(`body ${text}`, { body: text });
};
