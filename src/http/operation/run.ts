import type { Seen, TenantFields } from '../../attributes/tenant-fields.ts';
import type { RawContent } from '../../core/call/call.ts';
import { defaultLimits, type Limits } from '../../core/call/limits.ts';
import type { Reply } from '../../core/call/reply.ts';
import type { Principal } from '../../core/principal.ts';
import type { Resource } from '../../core/resource/resource.ts';
import { fieldsFor } from '../../core/resource/view.ts';
import type { Database } from '../../db/open.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { Services } from '../../engine/services.ts';
import type { FormatSettings } from '../response/formats.ts';
import { callOf } from './call.ts';
import { withRawBody } from './raw-body.ts';
import { createRepeats, type RepeatOptions } from './repeats.ts';
import type { Admitted } from './steps.ts';

/** What calling the handlers of operations needs. */
export interface RunDependencies {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly services: Pick<Services, 'files'>;
  readonly formats: FormatSettings;
  readonly databaseOf: Database['forTenant'];
  /** How replies are kept for repetitions of their requests; default: none is. */
  readonly repeats?: RepeatOptions;
  readonly limits: Partial<Limits> & {
    /** Maximum number of bytes of an import after decompression; default: 1 GiB. */
    readonly imports?: number;
  };
}

const importLimit = 1_073_741_824;

/** Returns what calls the handler of an admitted request, with its raw body and tenant's fields. */
export const createRun = (
  { resources, services, formats, databaseOf, limits, ...options }: RunDependencies,
  tenantFields: TenantFields,
): ((admitted: Admitted, handler: Handle) => Promise<Reply>) => {
  const queryLimits = { ...defaultLimits, ...limits };
  const repeats = createRepeats(options.repeats ?? null, formats);
  const imports = services.files.limitedTo(limits.imports ?? importLimit);

  return (admitted, handler) => {
    const { exchange, tenant, identity } = admitted.request;
    const { match, principal, caller } = admitted;
    const run = async (principal: Principal, content: RawContent | null, seen?: Seen): Promise<Reply> => {
      const call = callOf({ ...admitted, principal }, { content, resources, limits: queryLimits });
      const { signal, requestId } = exchange.state;
      const by = { type: 'api_user', id: principal.apiUser.id } as const;
      const viewer = { ...principal.apiUser, modules: principal.tenant.modules };
      const db = databaseOf(principal.tenant, signal, { by, requestId }, identity.confirmation);
      const reply = await tenantFields.run(
        db,
        (fields, db) => handler({ ...call, fields: fieldsFor(fields, viewer, resources) }, db),
        seen,
      );
      await reply.followUp?.();
      return reply;
    };
    if (match.operation.takes !== 'bytes') return repeats.serve(admitted, seen => run(principal, null, seen));
    const intake = match.operation.verb === 'import' ? imports : services.files;
    return withRawBody(exchange.req, tenant.id, intake, async content => run(await caller.confirm(), content));
  };
};
