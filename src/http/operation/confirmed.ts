import type { TenantFields } from '../../attributes/tenant-fields.ts';
import { viewOf } from '../../core/principal.ts';
import type { Resource } from '../../core/resource/resource.ts';
import { fieldsFor } from '../../core/resource/view.ts';
import type { ReadConfirmed } from '../../engine/services.ts';

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
