import { invalidField } from '../../core/errors.ts';
import type { Transaction } from '../../db/database.ts';
import { literal, oneIn } from '../../db/ids.ts';
import { prepare } from '../../db/prepared.ts';
import type { Values } from '../../engine/body.ts';

/** Returns whether a write may have brought a contact and a client together. */
export const changesContact = (before: Values | null, after: Values): boolean =>
  ['client_id', 'contact_id', 'project_id'].some(name => (before?.[name] ?? null) !== (after[name] ?? null));

/**
 * Rejects a write that leaves an event with a contact of another client than its own or its project's.
 * Call it after the write. See docs/decisions.md, "Fields in requests".
 * @param scope the event, or the project whose events are checked
 * @param field the field that the error is reported on
 * @throws ApiError validation_failed (422)
 */
export const checkEventContacts = async (
  scope: { readonly field: 'id' | 'project_id'; readonly id: number },
  field: 'contact_id' | 'client_id',
  transaction: Transaction,
): Promise<void> => {
  const [rows] = await transaction.run(mismatched[scope.field]({ ids: literal([scope.id]) }));
  const found = rows.find(row => row[scope.field] === scope.id);
  if (!found) return;
  if (field === 'contact_id') throw mismatch(found);
  const message = `${field}: the contact of an event belongs to another client.`;
  throw invalidField('reference_mismatch', field, message, { event_id: found.id });
};

const mismatch = ({ contact_id: id }: { readonly contact_id: number | null }) =>
  invalidField('reference_mismatch', 'contact_id', `contact_id: the contact ${id} belongs to another client.`);

/** Events, by their ids or those of their projects, with a contact of another client. */
const mismatchedBy = (field: 'id' | 'project_id') =>
  prepare(
    (db, { ids }: { readonly ids: string }) =>
      db
        .selectFrom('events as e')
        .innerJoin('projects as p', 'p.id', 'e.project_id')
        .innerJoin('contacts as c', 'c.id', 'e.contact_id')
        .select(['e.id', 'e.project_id', 'e.contact_id'])
        .where(`e.${field}`, '=', oneIn(ids))
        .where(({ eb, fn }) => eb('c.client_id', '<>', fn.coalesce('e.client_id', 'p.client_id')))
        .orderBy('e.id'),
    { ids: 'union' },
  );

const mismatched = { id: mismatchedBy('id'), project_id: mismatchedBy('project_id') };

/**
 * Rejects a write after which a project's contact belongs to another client. Call it after the write.
 * @throws ApiError validation_failed (422)
 */
export const checkProjectContact = async (id: number, transaction: Transaction): Promise<void> => {
  const [rows] = await transaction.run(mismatchedProjects({ ids: literal([id]) }));
  const found = rows.find(row => row.id === id);
  if (found) throw mismatch(found);
};

const mismatchedProjects = prepare(
  (db, { ids }: { readonly ids: string }) =>
    db
      .selectFrom('projects as p')
      .innerJoin('contacts as c', 'c.id', 'p.contact_id')
      .select(['p.id', 'p.contact_id'])
      .where('p.id', '=', oneIn(ids))
      .whereRef('c.client_id', '<>', 'p.client_id'),
  { ids: 'union' },
);
