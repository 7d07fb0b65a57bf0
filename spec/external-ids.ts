import type { Model, ModelProperty, Namespace, Program } from '@typespec/compiler';
import { getDoc } from '@typespec/compiler';
import { $ } from '@typespec/compiler/typekit';
import { setExtension } from '@typespec/openapi';
import { externalKeyOf, markOf } from './conventions/marks.ts';
import { actionBodiesOf, bodiesOf, isIn } from './conventions/schemas.ts';
import { sealInput } from './inputs.ts';

/**
 * Returns the member of bodies that gives a reference by the external id of its record, `client` for `client_id`; undefined if the
 * field is no reference or its target has no external ids.
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

/** Adds to all bodies the members that give references by external ids. */
export const addExternalReferences = (program: Program): void => {
  const [type] = program.resolveTypeReference('Staffing.ExternalReference');
  if (type?.kind !== 'Model') return;
  sealInput(program, type);
  for (const [body, { resource, given }] of bodiesOf(program))
    for (const property of resource.properties.values()) {
      const name = externalNameOf(program, property);
      const field = body.properties.get(property.name);
      if (name !== undefined && field && property.name !== given && !isReadOnly(program, property))
        addReference(program, body, field, name, type);
    }
  for (const [body, resource] of actionBodiesOf(program))
    for (const field of [...body.properties.values()]) {
      const property = resource.properties.get(field.name);
      const name = property && externalNameOf(program, property);
      if (name !== undefined) addReference(program, body, field, name, type);
    }
};

const isReadOnly = (program: Program, property: ModelProperty): boolean =>
  !isIn(program, property, 'Create') && !isIn(program, property, 'Update');

const addReference = (program: Program, body: Model, field: ModelProperty, name: string, type: Model): void => {
  const taken = body.properties.get(name);
  const own = $(program).modelProperty.create({
    name,
    type: taken
      ? $(program).union.create([type, taken.type].map(type => $(program).unionVariant.create({ type })))
      : type,
    optional: true,
  });
  own.model = body;
  setExtension(program, own, 'description', `Names the record in place of \`${field.name}\`, by its external id.`);
  body.properties.set(name, own);
  if (field.optional) return;
  field.optional = true;
  const doc = getDoc(program, field) ?? '';
  setExtension(program, field, 'description', `${doc} Required unless \`${name}\` is given.`);
};
