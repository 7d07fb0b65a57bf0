import { refer } from '../refer.ts';
import type { PlannedOperation } from './document.ts';
import { targetOf, type WitnessPlan } from './plan.ts';

/** Plans every GET of the document in each format, with valid parameters and with rejected ones. */
export const planReads = async (plan: WitnessPlan): Promise<void> => {
  for (const operation of plan.operations) if (operation.method === 'GET') await planRead(plan, operation);
};

const planRead = async (plan: WitnessPlan, operation: PlannedOperation): Promise<void> => {
  const places = await plan.places(operation);
  const isListing = operation.parameters.includes('limit');
  const send: SendRead = (purpose, query = [], request = {}) =>
    plan.send(operation.id, purpose, { target: targetOf(operation, places[0] ?? {}, query), ...request });

  for (const place of places) {
    await send('success', isListing ? ['limit=20'] : [], { target: targetOf(operation, place) });
  }
  await planForms(operation, send);
  if (operation.parameters.includes('fields')) await planSelections(operation, send, isListing ? ['limit=2'] : []);
  if (isListing) await planPages(send);
  for (const filter of operation.filters) await planFilter(filter, send);
};

type SendRead = (
  purpose: string,
  query?: readonly string[],
  request?: Partial<Parameters<WitnessPlan['send']>[2]>,
) => ReturnType<WitnessPlan['send']>;

const planForms = async (operation: PlannedOperation, send: SendRead): Promise<void> => {
  const few = operation.parameters.includes('limit') ? ['limit=2'] : [];
  const first = await send('gzip', few);
  await send('no gzip', few, { headers: { 'Accept-Encoding': 'identity' } });
  await send('HEAD', few, { method: 'HEAD' });
  await send('OPTIONS', few, {
    method: 'OPTIONS',
    headers: { Origin: 'https://planner.example', 'Access-Control-Request-Method': 'GET' },
  });
  await send('not modified', few, { headers: { 'If-None-Match': refer(first.number, 'header:etag') } });
  await send('modified', few, { headers: { 'If-None-Match': '"other"' } });
  await send('envelope', ['envelope=true', ...few]);
  await send('callback', ['callback=show', ...few]);
  await send('bad callback', ['callback=1-1', ...few]);
  await send('bad envelope', ['envelope=maybe', ...few]);
  if (operation.id.endsWith('ontent') || operation.id.endsWith('_file')) {
    for (const range of ['bytes=0-9', 'bytes=-5', 'bytes=99999999-'])
      await send(`range ${range}`, [], { headers: { Range: range } });
  }
};

const planSelections = async (operation: PlannedOperation, send: SendRead, few: readonly string[]): Promise<void> => {
  await send('all fields', [`fields=${operation.fields.join(',')}`, ...few]);
  await send('unknown field', ['fields=id,nonsense', ...few]);
  await send('unknown relation', ['embed=nonsense', ...few]);
  for (const relation of operation.relations) {
    await send('embed', [`embed=${relation}`, 'fields=id', ...few]);
    await send('embed a field', [`embed=${relation}.id,${relation}.nonsense`, ...few]);
    await send('embed one field', [`embed=${relation}.id`, 'fields=id', ...few]);
  }
  await send('embed several', [`embed=${operation.relations.slice(0, 6).join(',')}`, ...few]);
};

const planPages = async (send: SendRead): Promise<void> => {
  const page = await send('first page', ['limit=2', 'count=true', 'fields=id', 'sort=-id']);
  const cursor = `cursor=${refer(page.number, 'cursor')}`;
  await send('second page', ['limit=2', 'fields=id', 'sort=-id', cursor]);
  await send('cursor of another sort', ['limit=2', 'fields=id', 'sort=id', cursor]);
  await send('bad cursor', ['limit=2', 'cursor=nonsense']);
  for (const limit of ['0', '1001', 'x']) await send('bad limit', [`limit=${limit}`]);
  await send('bad count', ['count=maybe', 'limit=1']);
  await send('bad sort', ['sort=nonsense', 'limit=1']);
};

const samples: Readonly<Record<string, readonly string[]>> = {
  integer: ['1', '%3E1,null', 'x'],
  flag: ['1', '-1', 'x'],
  text: ['~a', '*e*', '-null'],
  date_time: ['%3E2026-06-10', '~2026-06', 'x'],
  date: ['%3E2026-06-10', '2026-06-10', 'x'],
};

const planFilter = async ({ name, type }: PlannedOperation['filters'][number], send: SendRead): Promise<void> => {
  for (const value of samples[type] ?? ['1', '-null', 'x']) {
    await send(`filter ${type}`, [`${name}=${value}`, `sort=-${name}`, 'fields=id', 'limit=3']);
  }
  await send(`filter ${type}`, [`${name}=null`, `sort=${name}`, `fields=${name}`, 'limit=2']);
};
