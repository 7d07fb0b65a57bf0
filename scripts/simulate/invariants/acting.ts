import type { SimulatedUser } from '../users.ts';
import { entriesOf } from './entries.ts';
import type { Invariant } from './invariant.ts';

/** Automations do nothing that the API user who wrote them last may not do. */
export const acting: Invariant = {
  name: 'automations act for their author',
  state: async simulated => {
    const entries = await entriesOf(simulated);
    const authors = new Map<number | null, { readonly at: number; readonly user: SimulatedUser }[]>();
    for (const { resource, id, by, at } of entries) {
      const user = simulated.users.find(({ id }) => by.type === 'api_user' && id === by.id);
      if (resource === 'automations' && user) {
        const known = authors.get(id) ?? [];
        authors.set(id, [...known, { at: Date.parse(at), user }]);
      }
    }
    return entries.flatMap(({ by, resource, id, at }) => {
      if (by.type !== 'automation' || !['assignments', 'event-functions'].includes(resource)) return [];
      // Times of entries are whole seconds.
      const time = Date.parse(at) + 999;
      const written = authors.get(by.id)?.filter(author => author.at <= time) ?? [];
      const latest = written.at(-1);
      const possible = written.filter(author => author === latest || author.at >= time - 2000);
      // Right before it acts, it is compared with what its author may do: there is no second until a restriction takes effect.
      const allowed = (user: SimulatedUser) =>
        user.viewsAt(time + 1).some(view => view.active && (view.scopes.length === 0 || writes(view.scopes)));
      return possible.some(({ user }) => allowed(user)) || possible.length === 0
        ? []
        : [`automation ${by.id} has changed ${resource} ${id} at ${at} for ${latest?.user.name}`];
    });
  },
};

const writes = (scopes: readonly string[]): boolean =>
  scopes.some(scope => ['assignments:write', 'event-functions:write', '*:write'].includes(scope));
