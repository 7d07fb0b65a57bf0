import { parse, refer } from '../refer.ts';
import type { BodyTemplate, PlannedOperation } from './document.ts';
import { realistic } from './examples.ts';
import { type Request, root, type SentRequest, targetOf, type WitnessPlan } from './plan.ts';

/** Plans every POST and PUT of the document: invalid bodies, valid bodies and repeated requests. */
export const planWrites = async (plan: WitnessPlan): Promise<void> => {
  for (const operation of plan.operations) {
    if (operation.body) await planWrite(plan, operation, operation.body);
  }
};

type SendWrite = (purpose: string, body: unknown, request?: Partial<Request>) => Promise<SentRequest>;

const planWrite = async (plan: WitnessPlan, operation: PlannedOperation, body: BodyTemplate): Promise<void> => {
  const places = await plan.places(operation);
  const place = places[0] ?? {};
  const target = (query: readonly string[] = []) => targetOf(operation, place, query);
  const send: SendWrite = (purpose, sent, request = {}) =>
    plan.send(operation.id, purpose, { method: operation.method, target: target(), body: sent, ...request });
  const example = await realistic(plan, body.example);
  const rehearsed = operation.parameters.includes('dry_run');

  await planValues(body, send);
  if (rehearsed) await send('rehearsal', example, { target: target(['dry_run=true']) });
  for (const [name, values] of Object.entries(body.properties)) {
    for (const value of rehearsed ? values : []) {
      await send(
        `rehearsal with ${name} ${value}`,
        { ...example, [name]: value },
        { target: target(['dry_run=true']) },
      );
    }
  }
  if (operation.method === 'PUT') await planPreconditions(plan, operation, target(), send);
  for (const at of places) await send('the example as it stands', body.example, { target: targetOf(operation, at) });
  for (const at of places) await send('success', example, { target: targetOf(operation, at) });
  for (const [name, value] of Object.entries(example)) await send(`${name} alone`, { [name]: value });
  if (operation.parameters.includes('force')) await send('force', example, { target: target(['force=true']) });
  await planRepetition(operation.id, example, send);
  if (operation.method === 'PUT')
    await send('override', example, { method: 'POST', headers: { 'X-HTTP-Method-Override': 'PUT' } });
  await send('xml', example, { target: target().replace(/(\?|$)/, '.xml$1') });
  await send('envelope', example, { target: target(['envelope=true']) });
  await send('gzip', example, { gzip: true });
  if (operation.verb === 'create' && operation.path === `/${operation.path.split('/')[1]}`)
    await planCopy(plan, operation, body, send);
};

/** Returns bodies that validation rejects: each property invalid by itself, and all at once. */
const planValues = async ({ properties, example }: BodyTemplate, send: SendWrite): Promise<void> => {
  const names = Object.keys(properties);
  await send('empty', {});
  await send('unknown field', { ...example, nonsense: 1 });
  await send('id', { ...example, id: 999_999 });
  for (const name of names) {
    await send(`${name} is an object`, { ...example, [name]: { nonsense: 1 } });
    await send(`${name} is null`, { [name]: null });
    await send(`${name} is a string`, { [name]: 'x\u0007' });
    await send(`${name} is a number`, { [name]: -1.5 });
  }
  for (const value of [[], '', 'x'.repeat(70_000), true, 1e300]) {
    await send('all wrong', Object.fromEntries(names.map(name => [name, value])));
  }
};

const planPreconditions = async (
  plan: WitnessPlan,
  { id }: PlannedOperation,
  target: string,
  send: SendWrite,
): Promise<void> => {
  await send('If-Match of another', {}, { headers: { 'If-Match': '"other"' } });
  const read = await plan.send(id, 'read before write', { target });
  await send('If-Match', {}, { headers: { 'If-Match': refer(read.number, 'header:etag') } });
  await send('what was read', refer(read.number, 'body'));
};

const planRepetition = async (operation: string, example: object, send: SendWrite): Promise<void> => {
  const headers = { 'Idempotency-Key': `key of ${operation}` };
  await send('key', example, { headers });
  await send('key again', example, { headers });
  await send('key of another body', {}, { headers });
};

/** Creates a record with the values of an existing one, and reads it. */
const planCopy = async (
  plan: WitnessPlan,
  operation: PlannedOperation,
  { properties }: BodyTemplate,
  send: SendWrite,
): Promise<void> => {
  const listing = await plan.send(operation.id, 'record to copy', {
    target: `${root}${operation.path}?limit=1&sort=-id`,
  });
  const [record] = [parse(listing.result.body)].flat() as (Readonly<Record<string, unknown>> | undefined)[];
  if (!record) return;
  const entries = Object.entries(record).filter(([name, value]) => name in properties && value !== null);
  const created = await send('copy', Object.fromEntries(entries));
  if (created.result.status !== 201) return;
  const own = `${root}${operation.path}/${refer(created.number, 'body:/id')}`;
  await plan.send(operation.id, 'read what was created', { target: own });
  await plan.send(operation.id, 'update what was created', {
    method: 'PUT',
    target: own,
    body: refer(created.number, 'body'),
  });
};
