import type { Interface, Model, ModelProperty, Operation, Program } from '@typespec/compiler';
import { getOperationId } from '@typespec/openapi';
import type { OpenAPI3Document } from '@typespec/openapi3';
import { externalKeyOf, keyOf, markOf } from '../../../spec/conventions/marks.ts';
import { isIn } from '../../../spec/conventions/schemas.ts';
import { camel, kebab } from '../../../spec/words.ts';
import type { Parameter } from '../../../src/core/call/parameter.ts';
import type { Alias, Field, Module, Resource } from '../../../src/core/resource/resource.ts';
import { parseQueryString } from '../../../src/http/request/query-string.ts';
import { type Code, codesOf, errorReferencesOf } from './codes.ts';
import { fieldOf } from './field.ts';
import { forgettableOf } from './forgetting.ts';
import { type DeclaredFormat, formatsOf } from './formats.ts';
import { modelsOf, nestedInterfaces, resourceModels, servedInterfaces, setPattern, statusSetOf } from './models.ts';
import { namespaceOf } from './program.ts';
import { type ReservedParameters, reservedParameters } from './reserved-parameters.ts';
import { isHidden, isOfTable, type Table, tableName, tableOf, viewOf } from './table.ts';

/** An operation other than the five verbs; its handler is written by hand. */
export interface ActionFacts {
  readonly operationId: string;
  /** The name of the operation in the spec, of the handler's file and of its export. */
  readonly name: string;
  readonly resource: string;
}

/** A named set of an enumeration's values. */
export interface StatusSet {
  /** The kind of record with this status, in kebab case: `employee` for `EmployeeStatus`. */
  readonly of: string;
  readonly name: string;
  readonly summary: string;
  readonly values: readonly number[];
}

/** The input of all generated files. */
export interface Facts {
  readonly resources: readonly Resource[];
  readonly tables: readonly Table[];
  readonly actions: readonly ActionFacts[];
  readonly codes: readonly Code[];
  /** The members of field errors that refer to records, with their resources. */
  readonly errorReferences: Readonly<Record<string, string>>;
  readonly formats: readonly DeclaredFormat[];
  readonly modules: readonly string[];
  /** The categories of sensitive fields. */
  readonly categories: readonly string[];
  readonly parameters: ReservedParameters;
  readonly statusSets: readonly StatusSet[];
  readonly document: OpenAPI3Document;
  /** The identifiers of the statuses of assignments, by value. */
  readonly statusNames: Readonly<Record<number, string>>;
}

/** Returns the facts of a program that has passed all checks. */
export const factsOf = (program: Program, document: OpenAPI3Document): Facts => {
  const models = resourceModels(program);
  const interfaces = servedInterfaces(program);
  const plain = modelsOf(program).filter(model => markOf(program, 'table', model));
  return {
    resources: models.map(model => {
      const forgettable = forgettableOf(program, model, [...models, ...plain]);
      const resource = resourceOf(program, document, model, operationsOf(interfaces.get(model) ?? []));
      return { ...resource, ...(forgettable && { forgettable }) };
    }),
    tables: [
      ...models.flatMap(model => [
        ...(isStored(program, model) ? [tableOf(program, model)] : []),
        ...(isViewed(program, model) ? [viewOf(program, model)] : []),
      ]),
      ...plain.map(model => tableOf(program, model)),
    ],
    actions: [
      ...[...interfaces].flatMap(([model, served]) =>
        actionsOf(program, markOf(program, 'resource', model) as string, operationsOf(served)),
      ),
      ...[...namespaceOf(program).interfaces.values()].flatMap(item => {
        const name = markOf(program, 'servesPath', item);
        return name === undefined ? [] : actionsOf(program, name, operationsOf([item]));
      }),
    ],
    codes: codesOf(program),
    errorReferences: errorReferencesOf(program),
    formats: formatsOf(program),
    modules: membersOf(program, 'Module'),
    categories: membersOf(program, 'SensitiveCategory'),
    parameters: reservedParameters(program),
    statusSets: statusSetsOf(program),
    document,
    statusNames: statusNamesOf(program),
  };
};

const membersOf = (program: Program, name: string): readonly string[] => [
  ...(namespaceOf(program).enums.get(name)?.members.keys() ?? []),
];

const statusNamesOf = (program: Program): Readonly<Record<number, string>> => {
  const status = namespaceOf(program).enums.get('AssignmentStatus');
  return Object.fromEntries([...(status?.members.values() ?? [])].map(({ name, value }) => [Number(value), name]));
};

const statusSetsOf = (program: Program): readonly StatusSet[] => {
  return [...namespaceOf(program).enums.values()].flatMap(item =>
    (markOf(program, 'statusSets', item) ?? []).map(({ name, summary, members }) => ({
      of: kebab(item.name).replace(/-status$/, ''),
      name,
      summary,
      values: members.map(({ value }) => Number(value)),
    })),
  );
};

/** Returns the operations of all interfaces of a resource. */
const operationsOf = (interfaces: readonly Interface[]): readonly Operation[] =>
  interfaces.flatMap(({ operations }) => [...operations.values()]);

/** Returns the fields that records are found by: the key, the API user, and the parents in paths. */
const findingFieldsOf = (program: Program, model: Model): readonly string[] => {
  const { own } = markOf(program, 'readOwn', model) ?? {};
  return [keyOf(program, model), ...(own === undefined ? [] : [own]), ...parentFieldsOf(program, model)];
};

/** Returns the fields with the id of the parent whose path the records are served under. */
const parentFieldsOf = (program: Program, model: Model): readonly string[] =>
  nestedInterfaces(program).flatMap(item => {
    const { child, field } = markOf(program, 'nested', item) ?? {};
    return child === model && field !== undefined ? [field] : [];
  });

/** Whether the resource has a table: at least one field is a column of it. */
const isStored = (program: Program, model: Model): boolean =>
  [...model.properties.values()].some(property => isOfTable(program, property));

/** Whether the resource is read from a view: a field is derived or computed by its row. */
const isViewed = (program: Program, model: Model): boolean =>
  !markOf(program, 'fromFunction', model) &&
  [...model.properties.values()].some(
    property => markOf(program, 'derived', property) || markOf(program, 'computed', property),
  );

const resourceOf = (
  program: Program,
  document: OpenAPI3Document,
  model: Model,
  operations: readonly Operation[],
): Resource => {
  const name = markOf(program, 'resource', model) as string;
  const table = tableName(name);
  const fieldsOf = (select: (property: ModelProperty) => boolean): readonly Field[] =>
    [...model.properties.values()].filter(select).map(property => fieldOf(program, document, property));
  const finding = findingFieldsOf(program, model);
  const hidden = fieldsOf(
    property => isHidden(program, property) || (finding.includes(property.name) && !isIn(program, property, 'Read')),
  );
  const sort = markOf(program, 'sortedBy', model);
  const externalKey = externalKeyOf(program, model);
  const readWhereReferred = markOf(program, 'readWhereReferred', model);
  const readByCategory = markOf(program, 'readByCategory', model);
  const readOwn = markOf(program, 'readOwn', model);
  const scopes = markOf(program, 'needsScopesOf', model);
  return {
    name,
    singular: kebab(model.name),
    table,
    source: isViewed(program, model) ? `${table}_view` : table,
    key: keyOf(program, model),
    ...(externalKey !== undefined && { externalKey }),
    module: (markOf(program, 'module', model) as Module | undefined) ?? null,
    dynamic: markOf(program, 'dynamicFields', model) ?? null,
    inactive: markOf(program, 'inactiveWhen', model) ?? null,
    keepsDeleted: markOf(program, 'keepsDeleted', model) ?? false,
    ...(markOf(program, 'unjournalled', model) && { unjournalled: true }),
    ...(readWhereReferred && { readWhereReferred }),
    ...(readByCategory !== undefined && { readByCategory }),
    ...(readOwn && { readOwn }),
    ...(scopes && { scopes }),
    ruled: markOf(program, 'rules', model) ?? false,
    ...(markOf(program, 'fromFunction', model) && { called: true as const }),
    ...(markOf(program, 'supplied', model) && { supplied: true as const }),
    ...(sort !== undefined && { sort }),
    fields: fieldsOf(property => isIn(program, property, 'Read')),
    ...(hidden.length > 0 && { hidden }),
    relations: (markOf(program, 'relations', model) ?? []).map(({ related, ...relation }) => ({
      name: relation.name,
      short: relation.short,
      resource: markOf(program, 'resource', related) as string,
      from: relation.from,
      to: relation.to,
      many: relation.many,
    })),
    aliases: aliasesOf(program, model, operations),
  };
};

const aliasesOf = (program: Program, model: Model, operations: readonly Operation[]): readonly Alias[] =>
  operations.flatMap(operation => {
    const query = markOf(program, 'alias', operation);
    return query === undefined
      ? []
      : [{ name: operation.name, parameters: parametersOf(listed(program, model, query)) }];
  });

const parametersOf = (query: string): readonly Parameter[] => {
  const parameters = parseQueryString(query);
  if (!parameters) throw new Error(`${query} is not a query string.`);
  return parameters;
};

/** Replaces each status set in the query string, such as `status={holding}`, by its values. */
const listed = (program: Program, model: Model, query: string): string =>
  query.replaceAll(setPattern, (_, field: string, name: string) => {
    const set = statusSetOf(program, model, field, name);
    return `${field}=${set?.members.map(({ value }) => value).join(',')}`;
  });

const actionsOf = (program: Program, resource: string, operations: readonly Operation[]): readonly ActionFacts[] => {
  return operations
    .filter(operation => !markOf(program, 'verb', operation) && !markOf(program, 'withdrawn', operation))
    .map(operation => ({
      operationId: getOperationId(program, operation) ?? `${camel(resource)}_${operation.name}`,
      name: operation.name,
      resource,
    }));
};
