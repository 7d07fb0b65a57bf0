import type { ValidateFunction } from 'ajv';
import type { Json } from '../core/call/reply.ts';
import type { FieldError } from '../core/errors.ts';
import type { JsonObject } from '../core/json/object.ts';
import { referredSchemas } from '../core/json/references.ts';
import type { VerbName } from '../core/resource/verb-names.ts';
import { type FormSchema, toStoredForm } from '../core/stored-form.ts';
import { atOnce } from '../core/turns.ts';
import { ajv } from '../core/validator.ts';
import { findInexactNumbers, toFieldErrors } from '../core/violations.ts';

/** The bodies that operations of the document take. */
export interface Bodies {
  readonly operations: Iterable<DeclaredBody>;
  /** The schemas that those of bodies refer to. */
  readonly components: { readonly schemas?: Readonly<Record<string, object>> };
}

/** An operation as far as its body depends on it. */
interface DeclaredBody {
  readonly operationId: string;
  readonly resource: string | undefined;
  readonly verb: VerbName | undefined;
  readonly parent: object | undefined;
  readonly requestBody?: undefined | { readonly content: Readonly<Record<string, { readonly schema?: object }>> };
}

/** A body as the engine takes it: its values in stored form, and the violations of its schema. */
export interface CheckedBody {
  readonly body: JsonObject;
  readonly findings: readonly FieldError[];
}

/**
 * Checks a body by the document's schema of a write, and changes it to its stored form.
 * @throws Error if there is none
 */
export type CheckBody = (resource: string, verb: VerbName, body: JsonObject) => CheckedBody;

/**
 * Checks a body, which it changes to its stored form, by the document's schema of an operation.
 * @throws Error if it takes no JSON
 */
type CheckOperation = (operationId: string, body: JsonObject) => CheckedBody;

/** Returns the checks of the bodies of all operations, each compiled at its first use. */
export const createOperationCheck = ({ operations, components }: Bodies): CheckOperation => {
  const schemas = new Map(
    [...operations].map(({ operationId, requestBody }) => [
      operationId,
      requestBody?.content['application/json']?.schema,
    ]),
  );
  const checks = new Map<string, { readonly schema: FormSchema; readonly validate: ValidateFunction }>();
  const resolve = resolverOf(components);
  const all = components.schemas ?? {};
  /** A compilation reads all schemas that it is given: with all of the document it takes twice as long. */
  const compile = (schema: object): ValidateFunction => {
    const schemas = Object.fromEntries([...referredSchemas([schema], all)].map(name => [name, all[name]]));
    return ajv.compile({ ...schema, components: { schemas } });
  };
  return (name, given) => {
    const declared = schemas.get(name);
    if (!declared) throw new Error(`${name} takes no JSON.`);
    const check = checks.get(name) ?? {
      schema: resolve(declared) as FormSchema,
      validate: compile(declared),
    };
    checks.set(name, check);
    const body = toStoredForm(check.schema, given) as JsonObject;
    const found = check.validate(body) ? [] : toFieldErrors(check.validate.errors ?? []);
    const inexact = atOnce(findInexactNumbers(body)).filter(({ field }) => !found.some(other => other.field === field));
    return { body, findings: [...found, ...inexact.slice(0, 100)] };
  };
};

/** Returns the checks of the bodies of all writes, each compiled at its first use. */
export const createBodyCheck = (bodies: Bodies): CheckBody => {
  const names = new Map(
    [...bodies.operations]
      .filter(({ parent, requestBody }) => !parent && requestBody)
      .map(({ resource, verb, operationId }) => [`${resource} ${verb}`, operationId]),
  );
  const check = createOperationCheck(bodies);
  return (resource, verb, body) => {
    const name = names.get(`${resource} ${verb}`);
    if (name === undefined) throw new Error(`${resource} has no ${verb} with a body.`);
    return check(name, body);
  };
};

/** Returns a function that replaces the references to components in a schema, once for each. */
const resolverOf = (components: Bodies['components']): ((schema: unknown) => unknown) => {
  const resolved = new Map<string, object>();
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    if (!('$ref' in value))
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member)]));
    const name = String(value.$ref).split('/').at(-1) as string;
    const known = resolved.get(name);
    if (known) return known;
    const target: Record<string, unknown> = {};
    resolved.set(name, target);
    return Object.assign(target, resolve(components.schemas?.[name] as Json | undefined));
  };
  return resolve;
};
