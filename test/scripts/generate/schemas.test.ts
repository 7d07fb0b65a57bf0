import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resources } from '../../../generated/resources.ts';
import type { Field, Resource } from '../../../src/core/resource/resource.ts';
import { repositoryDocument } from './support.ts';

const namesOf = (fields: readonly Field[]): readonly string[] => fields.map(({ name }) => name);
/** The members that name records in place of these fields, by their external ids; those of other fields are in bodies of actions only. */
const membersOf = (fields: readonly Field[]): readonly string[] =>
  fields.flatMap(({ access, byExternalId = [] }) => (access === 'read' ? [] : byExternalId));
/** The fields, and after them the members that are not also fields. */
const withMembers = (fields: readonly Field[]): readonly string[] => [
  ...new Set([...namesOf(fields), ...membersOf(fields)]),
];
/** The names under which the records that are related to one can be sent back, but for those of references. */
const relatedTo = ({ fields, relations }: Resource): ReadonlySet<string> => {
  const others = new Set(relations.flatMap(({ name, short }) => [name, short]));
  for (const member of membersOf(fields)) others.delete(member);
  return others;
};
const modelOf = (singular: string): string => singular.replace(/(^|-)./g, text => text.toUpperCase().replace('-', ''));

describe('schemas of a resource', () => {
  const { schemas } = repositoryDocument.components;
  /** The resources of which the document has a schema of that shape: not all can be created or changed. */
  const having = (shape: string) => {
    const found = Object.values(resources).filter(({ singular }) => schemas[modelOf(singular) + shape]);
    assert.ok(found.length > 20, shape);
    return found;
  };
  const propertiesOf = (name: string): readonly string[] => Object.keys(schemas[name]?.properties ?? {});

  it('accept all writable fields in a create, require the mandatory ones and reject others', () => {
    for (const resource of having('Create')) {
      const { singular, fields } = resource;
      const schema = schemas[`${modelOf(singular)}Create`];
      if (!schema) continue;
      const related = relatedTo(resource);
      const taken = fields.filter(({ access }) => access === 'create' || access === 'write');
      const names = propertiesOf(`${modelOf(singular)}Create`);
      assert.deepEqual(
        names.filter(name => !related.has(name)),
        withMembers(taken),
      );
      assert.deepEqual(new Set(names.filter(name => related.has(name))), related);
      assert.deepEqual(
        schema?.required ?? [],
        namesOf(taken.filter(({ required, byExternalId }) => required && !byExternalId)),
      );
      assert.equal(schema?.additionalProperties, false);
    }
  });

  it('accept all fields in an update, those that cannot be changed as read-only, and require none', () => {
    for (const resource of having('Update')) {
      const { singular, fields } = resource;
      const schema = schemas[`${modelOf(singular)}Update`];
      const related = relatedTo(resource);
      const names = propertiesOf(`${modelOf(singular)}Update`);
      assert.deepEqual(
        names.filter(name => !related.has(name)),
        withMembers(fields),
      );
      assert.deepEqual(new Set(names.filter(name => related.has(name))), related);
      const changed = new Set([
        ...namesOf(fields.filter(({ access }) => access === 'update' || access === 'write')),
        ...membersOf(fields),
      ]);
      const writable = Object.entries(schema?.properties ?? {}).filter(([, { readOnly }]) => !readOnly);
      assert.deepEqual(
        writable.map(([name]) => name).filter(name => !related.has(name)),
        withMembers(fields).filter(name => changed.has(name)),
      );
      assert.equal(schema?.required, undefined);
      assert.equal(schema?.additionalProperties, false);
      const patterns = (name: string) => Object.keys(schemas[name]?.patternProperties ?? {});
      assert.deepEqual(patterns(`${modelOf(singular)}Update`), patterns(modelOf(singular)));
    }
  });

  it('have every field in responses, and no others: required where no parameter selects some, and nobody hides any', () => {
    for (const { singular, fields } of having('')) {
      const name = modelOf(singular);
      for (const shown of [name, `Embedded${name}`].filter(name => schemas[name])) {
        assert.deepEqual(propertiesOf(shown), namesOf(fields));
        assert.deepEqual(
          schemas[shown]?.required,
          shown === name ? namesOf(fields.filter(({ sensitive }) => !sensitive)) : undefined,
        );
        assert.equal(schemas[shown]?.additionalProperties, false);
      }
      assert.equal(schemas[`${name}WithRelations`]?.required, undefined);
    }
  });

  it('have relations in responses under both names, as plain records', () => {
    for (const { singular, fields, relations } of Object.values(resources)) {
      const name = `${modelOf(singular)}WithRelations`;
      const keys = new Set(relations.flatMap(({ name, short }) => [name, short]));
      assert.deepEqual(new Set(propertiesOf(name)), new Set([...namesOf(fields), ...keys]));
    }
    const { clientContacts, contacts } = schemas.ClientWithRelations?.properties ?? {};
    assert.equal(clientContacts?.items?.$ref, '#/components/schemas/EmbeddedContact');
    assert.equal(contacts?.items?.$ref, '#/components/schemas/EmbeddedContact');
  });

  it('accept flags and date-times in more forms than responses have', () => {
    const { EventCreate, Event } = schemas;
    assert.equal(Event?.properties?.is_locked?.$ref, '#/components/schemas/Flag');
    assert.equal(EventCreate?.properties?.is_locked?.$ref, '#/components/schemas/FlagInput');
    assert.equal(Event?.properties?.start?.$ref, '#/components/schemas/DateTime');
    assert.equal(EventCreate?.properties?.start?.$ref, '#/components/schemas/DateTimeInput');
  });

  it('accept the dynamic fields of tenants where the resource has some', () => {
    assert.deepEqual(Object.keys(schemas.Client?.patternProperties ?? {}), ['^dynamic_field_[1-9][0-9]*$']);
    assert.equal(schemas.Event?.patternProperties, undefined);
  });
});

describe('parameters of a listing', () => {
  it('are one string for each field that can be filtered by, with its type', () => {
    const { paths } = repositoryDocument;
    for (const { name, fields } of Object.values(resources)) {
      const path = paths[`/${name}`];
      // Some are only below other resources.
      if (!path) continue;
      const named = (path.get?.parameters ?? []).filter(parameter => 'name' in parameter);
      for (const { name: own, schema } of named) assert.equal(schema.examples?.length, 1, `${name} ${own}`);
      const parameters = named.filter(parameter => parameter['x-filter']);
      assert.deepEqual(
        // A field that has the name of a parameter is filtered with brackets.
        parameters.map(parameter => [
          parameter.name.replace('limit[]', 'limit'),
          parameter.in,
          parameter.schema.type,
          parameter['x-filter']?.type,
        ]),
        fields.map(field => [field.name, 'query', 'string', field.type]),
        name,
      );
    }
  });

  it('are the same for a predefined listing', () => {
    const { paths } = repositoryDocument;
    assert.deepEqual(paths['/events/today']?.get?.parameters, paths['/events']?.get?.parameters);
  });
});
