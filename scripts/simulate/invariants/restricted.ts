import { resources } from '../../../generated/resources.ts';
import { scopesOf } from '../../../src/core/resource/access.ts';
import type { Resource } from '../../../src/core/resource/resource.ts';
import type { SimulatedExchange } from '../ledger.ts';
import { SimulatedUser, type UserView } from '../users.ts';
import { type Invariant, nameOf } from './invariant.ts';

/** A second after a token, a user or a scope is taken away, no request succeeds by it. */
export const restricted: Invariant = {
  name: 'restrictions take effect',
  exchange: each => {
    const { served, token, user } = each;
    if (!served || served.status >= 400) return [];
    if (SimulatedUser.isRevoked(token, served.at)) return [`${nameOf(each)} by a revoked token`];
    const views = user.viewsAt(served.at);
    if (views.every(({ active }) => !active)) return [`${nameOf(each)} of a disabled user`];
    const lacking = views.flatMap(view => lackingIn(each, view) ?? []);
    return lacking.length === views.length ? [`${nameOf(each)} without ${lacking[0]}`] : [];
  },
};

/** Returns a scope that the exchange shows or writes by and the view lacks. */
const lackingIn = ({ served, sent, operation }: SimulatedExchange, { scopes }: UserView): string | undefined => {
  if (scopes.length === 0) return undefined;
  const needed = sent.path.startsWith('/api/v1/changes')
    ? shownIn(served?.text ?? '')
    : neededBy(operation, sent.method);
  return needed.find(scope => !scopes.includes(scope));
};

/** The scopes of the records that a page of changes shows. */
const shownIn = (text: string): readonly string[] => {
  const { changes = [] } = JSON.parse(text) as { readonly changes?: readonly { resource: string; record?: object }[] };
  return changes.filter(({ record }) => record).map(({ resource }) => `${resource}:read`);
};

const neededBy = (operation: SimulatedExchange['operation'], method: string): readonly string[] => {
  const resource = (resources as Readonly<Record<string, Resource>>)[operation?.resource ?? ''];
  const plain = ['list', 'read', 'create', 'update', 'delete'];
  if (!resource || !plain.includes(operation?.verb ?? '') || resource.readOwn) return [];
  const names = scopesOf(resource);
  return names.length === 1 ? [`${names[0]}:${method === 'GET' ? 'read' : 'write'}`] : [];
};
