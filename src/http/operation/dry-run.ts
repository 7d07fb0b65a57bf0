import type { Call } from '../../core/call/call.ts';
import { dryRun, isOn } from '../../core/call/switch.ts';
import { rehearse } from '../../db/rehearsal.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { ActionServices } from '../../engine/services.ts';
import type { Operation } from './operation.ts';

/**
 * Returns the handler of an operation, which has no effect if the request is a dry run.
 * Its transactions are rolled back, and files are neither kept nor removed.
 * @param handlerWith returns the operation's handler with these services
 */
export const withDryRun = (
  { switchNames, responses }: Operation,
  services: ActionServices,
  handlerWith: (services: ActionServices) => Handle,
): Handle => {
  const handle = handlerWith(services);
  // What is only accepted (202) is a dry run later, when it is processed.
  if (!switchNames.includes(dryRun) || responses?.['202']) return handle;
  const rehearsal = handlerWith(withoutEffect(services));
  return async (call, db) => {
    if (!isOn(call.parameters, dryRun)) return handle(call, db);
    const { followUp: _, ...reply } = await rehearsal(withoutContent(call), rehearse(db));
    return reply;
  };
};

const withoutEffect = (services: ActionServices): ActionServices => ({
  ...services,
  files: { ...services.files, remove: async () => {} },
});

/** Returns the call with a raw body that can be read but not kept. */
const withoutContent = (call: Call): Call => ({
  ...call,
  content: call.content && { ...call.content, keep: () => {} },
});
