import { resources } from '../../../generated/resources.ts';
import type { Resource } from '../../../src/core/resource/resource.ts';
import type { SimulatedExchange } from '../ledger.ts';
import { entriesOf } from './entries.ts';
import { type Invariant, nameOf } from './invariant.ts';

/** What was acknowledged is there, once, however often it was sent. A replay is the first response. */
export const acknowledged: Invariant = {
  name: 'no acknowledgement is lost, nothing is done twice',
  state: async simulated => {
    const entries = await entriesOf(simulated);
    const byRequest = Map.groupBy(entries, ({ request_id }) => request_id);
    const byKey = Map.groupBy(
      simulated.ledger.exchanges.filter(({ key }) => key),
      ({ key }) => key,
    );
    const made = new Set(
      entries.filter(({ change }) => change === 'created').map(({ resource, id }) => `${resource} ${id}`),
    );
    const journalled = new Set(entries.map(({ resource }) => resource));
    return [...byKey.values()].flatMap(same => [
      ...twice(same, byRequest),
      ...differing(same),
      ...same.flatMap(each => lost(each, made, journalled)),
    ]);
  },
};

type JournalEntries = Awaited<ReturnType<typeof entriesOf>>;

const isReplay = ({ served }: SimulatedExchange): boolean => served?.headers['idempotency-replayed'] === 'true';

const succeeded = (each: SimulatedExchange): boolean => each.served !== null && each.served.status < 300;

const twice = (
  same: readonly SimulatedExchange[],
  byRequest: ReadonlyMap<string | null, JournalEntries>,
): readonly string[] => {
  const done = same.filter(({ requestId }) => byRequest.has(requestId));
  const [first] = done;
  return first && done.length > 1 ? [`${done.map(nameOf).join(' and ')} were both carried out`] : [];
};

const differing = (same: readonly SimulatedExchange[]): readonly string[] => {
  const original = same.find(each => succeeded(each) && !isReplay(each));
  return same
    .filter(each => isReplay(each) && succeeded(each) && original)
    .filter(({ served }) => served?.status !== original?.served?.status || served?.text !== original?.served?.text)
    .map(each => `${nameOf(each)} is no replay of ${nameOf(original as SimulatedExchange)}`);
};

const lost = (
  each: SimulatedExchange,
  made: ReadonlySet<string>,
  journalled: ReadonlySet<string>,
): readonly string[] => {
  const { served, operation, sent } = each;
  if (served?.status !== 201 || operation?.verb !== 'create' || /dry_run/.test(sent.path)) return [];
  if (!journalled.has(operation.resource)) return [];
  const { key } = (resources as Readonly<Record<string, Resource>>)[operation.resource] as Resource;
  const { [key]: id } = JSON.parse(served.text);
  return made.has(`${operation.resource} ${id}`) ? [] : [`${nameOf(each)}: ${id} was never created`];
};
