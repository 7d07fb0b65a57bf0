import type { Call } from '../../core/call/call.ts';
import type { Reply } from '../../core/call/reply.ts';
import { fieldError } from '../../core/errors.ts';
import type { Category } from '../../core/resource/categories.ts';
import { hiddenPaths, type Mask, type MaskedSchema, masked, maskOf } from '../../core/resource/mask.ts';
import type { Handle } from '../../engine/idempotency.ts';
import type { ApiDocument, Operation } from './operation.ts';

interface MaskedContent {
  readonly content?: Readonly<Record<string, { readonly schema?: MaskedSchema }>>;
}

/**
 * Returns a wrapper of an action's handler that hides what its schemas mark as `x-sensitive`.
 * Such members of the value that it returns are left out, and such members of a body are `unknown_field`. Records are hidden by their
 * field sets instead.
 */
export const createConcealing = ({ components }: ApiDocument) => {
  const { schemas = {} } = components ?? {};
  const resolve = (reference: string) => schemas[reference.split('/').at(-1) as string] as MaskedSchema | undefined;
  return ({ requestBody, responses = {} }: Operation, handle: Handle): Handle => {
    const bodyMask = masks(schemaOf(requestBody as MaskedContent | undefined), resolve);
    const valueMask = masks(schemaOf((responses['200'] ?? responses['201']) as MaskedContent | undefined), resolve);
    return async (call, db) => {
      const { hidden } = call.principal.apiUser;
      if (hidden.length === 0) return handle(call, db);
      return concealed(valueMask(hidden), await handle(withFindings(call, bodyMask(hidden)), db));
    };
  };
};

const schemaOf = (content: MaskedContent | undefined): MaskedSchema =>
  content?.content?.['application/json']?.schema ?? {};

/** Returns a function that returns the mask of values by hidden categories, each made once. */
const masks = (schema: MaskedSchema, resolve: Parameters<typeof maskOf>[2]) => {
  const known = new Map<string, Mask | null>();
  return (hidden: readonly Category[]): Mask | null => {
    const key = hidden.toSorted().join();
    const mask = known.get(key) ?? maskOf(schema, hidden, resolve);
    known.set(key, mask);
    return mask;
  };
};

const concealed = (mask: Mask | null, reply: Reply): Reply =>
  mask && reply.body?.kind === 'value'
    ? { ...reply, body: { ...reply.body, value: masked(mask, reply.body.value) } }
    : reply;

const withFindings = (call: Call, mask: Mask | null): Call => {
  const paths = mask ? hiddenPaths(mask, call.body, '') : [];
  if (paths.length === 0) return call;
  const others = call.findings.filter(({ field }) => !paths.includes(field));
  const unknown = paths.map(path => fieldError('unknown_field', path, `${path} is not a field of the body.`));
  return { ...call, findings: [...others, ...unknown] };
};
