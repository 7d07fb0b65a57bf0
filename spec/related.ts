import type { Model, ModelProperty, Namespace, Program, Type } from '@typespec/compiler';
import { getDoc } from '@typespec/compiler';
import { $ } from '@typespec/compiler/typekit';
import { setExtension } from '@typespec/openapi';
import { externalKeyOf, markOf } from './conventions/marks.ts';
import { actionBodiesOf, bodiesOf, isIn } from './conventions/schemas.ts';
import { sealInput } from './inputs.ts';

/**
 * Returns the member of bodies that refers to a record by external id: `client` for `client_id`.
 * Undefined if the field is no reference or its target has no external ids.
 */
export const externalNameOf = (program: Program, property: ModelProperty): string | undefined => {
  const { resource, by } = markOf(program, 'references', property) ?? {};
  if (resource === undefined || by !== undefined || !property.name.endsWith('_id')) return undefined;
  const target = modelsOf(program.getGlobalNamespaceType()).find(
    model => markOf(program, 'resource', model) === resource,
  );
  return target && externalKeyOf(program, target) && property.name.slice(0, -'_id'.length);
};

const modelsOf = ({ models, namespaces }: Namespace): readonly Model[] => [
  ...models.values(),
  ...[...namespaces.values()].filter(({ name }) => name === 'Staffing').flatMap(modelsOf),
];

/** The models of what a body says of related records. */
interface Forms {
  /** A record by its external id. */
  readonly reference: Model;
  /** A record as it was read. */
  readonly embedded: Model;
}

/**
 * Adds the members that name related records to all bodies.
 * They give references, or are relations that may be sent back.
 */
export const addRelated = (program: Program): void => {
  const [reference, embedded] = ['ExternalReference', 'EmbeddedRecord'].map(
    name => program.resolveTypeReference(`Staffing.${name}`)[0],
  );
  if (reference?.kind !== 'Model' || embedded?.kind !== 'Model') return;
  const forms = { reference, embedded };
  for (const form of Object.values(forms)) sealInput(program, form);
  for (const [body, { resource, given }] of bodiesOf(program)) {
    for (const property of resource.properties.values()) {
      const name = externalNameOf(program, property);
      if (name !== undefined && isWritten(program, body, property, given))
        addReference(program, body, property.name, name, forms);
    }
    for (const relation of markOf(program, 'relations', resource) ?? [])
      for (const name of [relation.name, relation.short])
        if (!body.properties.has(name)) addRelation(program, body, name, { relation, resource, given }, forms);
  }
  for (const [body, resource] of actionBodiesOf(program))
    for (const { name: field } of [...body.properties.values()]) {
      const property = resource.properties.get(field);
      const name = property && externalNameOf(program, property);
      if (name !== undefined) addReference(program, body, field, name, forms);
    }
};

const referenceDoc = (field: string): string => `Names the record in place of \`${field}\`, by its external id.`;

/** Whether a body can set the field. */
const isWritten = (program: Program, body: Model, property: ModelProperty, given: string): boolean =>
  body.properties.has(property.name) &&
  property.name !== given &&
  (isIn(program, property, 'Create') || isIn(program, property, 'Update'));

const isNullable = ({ type }: ModelProperty): boolean =>
  type.kind === 'Union' &&
  [...type.variants.values()].some(({ type }) => type.kind === 'Intrinsic' && type.name === 'null');

const addReference = (
  program: Program,
  body: Model,
  fieldName: string,
  name: string,
  { reference, embedded }: Forms,
): void => {
  const field = body.properties.get(fieldName) as ModelProperty;
  const taken = body.properties.get(name);
  const nothing = isNullable(field) ? [$(program).intrinsic.null] : [];
  const own = addMember(program, body, name, [reference, embedded, ...(taken ? [taken.type] : []), ...nothing]);
  setExtension(program, own, 'description', referenceDoc(fieldName));
  if (field.optional) return;
  field.optional = true;
  const doc = getDoc(program, field) ?? '';
  setExtension(program, field, 'description', `${doc} Required unless \`${name}\` is given.`);
};

type Relations = NonNullable<ReturnType<typeof markOf<'relations'>>>;

const addRelation = (
  program: Program,
  body: Model,
  name: string,
  { relation: { from, many }, resource, given }: { relation: Relations[number]; resource: Model; given: string },
  { reference, embedded }: Forms,
): void => {
  const property = resource.properties.get(from);
  const sets = !many && property && externalNameOf(program, property) && isWritten(program, body, property, given);
  const forms = many ? [$(program).array.create(embedded)] : [embedded, $(program).intrinsic.null];
  const own = addMember(program, body, name, sets ? [reference, ...forms] : forms);
  if (sets) setExtension(program, own, 'description', `${referenceDoc(from)} It may also be sent back as it was read.`);
  else setExtension(program, own, 'readOnly', true);
};

const addMember = (program: Program, body: Model, name: string, types: readonly Type[]): ModelProperty => {
  const variants = types.map(type => $(program).unionVariant.create({ type }));
  const type = types.length === 1 ? (types[0] as Type) : $(program).union.create(variants);
  const own = $(program).modelProperty.create({ name, type, optional: true });
  own.model = body;
  body.properties.set(name, own);
  return own;
};
