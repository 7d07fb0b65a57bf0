import type { TenantFields } from '../../attributes/tenant-fields.ts';
import type { ParsedObject } from '../../core/json/object.ts';
import { type Caller, viewOf } from '../../core/principal.ts';
import type { Resource } from '../../core/resource/resource.ts';
import { fieldsFor } from '../../core/resource/view.ts';
import type { ReadConfirmed } from '../../engine/services.ts';
import type { Admission } from './steps.ts';

/**
 * Returns a body that has arrived, and whose it is then.
 * The caller is confirmed before the body is judged. See docs/decisions.md, "Order of checks".
 * @throws as both
 */
export const whenArrived = async (arriving: Promise<ParsedObject>, caller: Caller): Promise<Admission> => {
  const [body] = await Promise.allSettled([arriving]);
  const principal = await caller.confirm();
  if (body.status === 'rejected') throw body.reason;
  return { ...body.value, principal, caller };
};

/** Returns the service that reads for requests that last. */
export const createReadConfirmed =
  (tenantFields: TenantFields, resources: Readonly<Record<string, Resource>>): ReadConfirmed =>
  async (call, db, read) => {
    for (;;) {
      const principal = await call.caller.confirm();
      const result = await tenantFields.run(db.as(principal.tenant), (fields, db) =>
        read({ ...call, principal, fields: fieldsFor(fields, principal.apiUser, resources) }, db),
      );
      const now = await call.caller.confirm();
      if (viewOf(now) === viewOf(principal)) return result;
    }
  };
