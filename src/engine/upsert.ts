import type { Call } from '../core/call/call.ts';
import type { Reply } from '../core/call/reply.ts';
import { isOn } from '../core/call/switch.ts';
import { ApiError } from '../core/errors.ts';
import type { Resource } from '../core/resource/resource.ts';
import type { TenantDb } from '../db/database.ts';
import { translateConstraints } from './constraints.ts';
import { createIn } from './create.ts';
import { identify } from './references/external-id.ts';
import type { Rules } from './rules.ts';
import { updateIn } from './update.ts';

/**
 * PUT /{resource}/external/{external_id}:
 * updates the record with that external id as PUT by its id does (200) or, if there is none, creates it as POST does (201). See
 * docs/decisions.md, "External ids and imports".
 */
export const upsert = async (call: Call, resource: Resource, db: TenantDb, rules: Rules): Promise<Reply> =>
  translateConstraints(resource, () =>
    db.transaction(async transaction => {
      const identified = await identify(call, resource, transaction);
      const { holder: id } = identified;
      const updated = id === null ? null : await updateIn({ ...call, id }, identified, resource, transaction, rules);
      if (updated) return updated;
      if (!creates(call)) throw new ApiError('not_found');
      // No tag is that of a record that does not exist, nor does `*` stand for one.
      if (call.headers.ifMatch !== null) throw new ApiError('precondition_failed');
      return createIn(call, { ...identified, holder: null }, resource, transaction, rules);
    }),
  );

const creates = ({ parameters }: Call): boolean =>
  !parameters.some(([name]) => name === 'create') || isOn(parameters, 'create');
