import type {
  DecoratorContext,
  Enum,
  EnumMember,
  Interface,
  Model,
  ModelProperty,
  Operation,
  Program,
  Scalar,
  Type,
} from '@typespec/compiler';

/** The values that decorators record on types, for the schema decorators and the generator. */
export interface Marks {
  resource: { target: Model; value: string };
  table: { target: Model; value: string };
  module: { target: Model | Operation; value: string };
  dynamicFields: { target: Model; value: string };
  inactiveWhen: { target: Model; value: { field: string; value: number | boolean } };
  keepsDeleted: { target: Model; value: true };
  forgettable: { target: Model; value: readonly string[] };
  readWhereReferred: { target: Model; value: { own: string; open: { field: string; value: string } } };
  readByCategory: { target: Model; value: string };
  readOwn: { target: Model; value: { own: string; about?: string } };
  needsScopesOf: { target: Model; value: readonly string[] };
  unjournalled: { target: Model; value: true };
  fromFunction: { target: Model; value: true };
  supplied: { target: Model; value: true };
  sortedBy: { target: Model; value: string };
  rules: { target: Model; value: true };
  sentFor: { target: Model; value: string };
  exampleIds: { target: Model; value: Readonly<Record<string, number | string>> };
  relations: { target: Model; value: readonly RelationMark[] };
  references: { target: ModelProperty; value: ReferenceMark };
  referencesOneOf: { target: ModelProperty; value: { field: string; resources: Readonly<Record<string, string>> } };
  partOf: { target: ModelProperty; value: readonly string[] };
  derived: { target: ModelProperty; value: string };
  computed: { target: ModelProperty; value: true };
  unparsed: { target: ModelProperty; value: true };
  sameAs: { target: ModelProperty; value: string };
  firstOf: { target: ModelProperty; value: readonly string[] };
  computedBy: { target: ModelProperty; value: { function: string; of: readonly string[] } };
  derivedFrom: { target: Model | ModelProperty; value: readonly string[] };
  inheritsFrom: { target: ModelProperty; value: readonly string[] };
  identifies: { target: ModelProperty; value: true };
  identifiesExternally: { target: ModelProperty; value: true };
  serverKept: { target: ModelProperty; value: true };
  bracketed: { target: ModelProperty; value: true };
  judged: { target: ModelProperty; value: true };
  guardsReading: { target: ModelProperty; value: true };
  notBefore: { target: ModelProperty; value: string };
  notAfter: { target: ModelProperty; value: string };
  endsAfter: { target: ModelProperty; value: string };
  wholeDays: { target: ModelProperty; value: { start: string; flag: string } };
  predefined: { target: ModelProperty; value: { id: number; type: string } };
  sensitive: { target: ModelProperty; value: 'pay' | 'contact' | 'personal' | 'health' | 'identity' };
  namesAttributes: { target: ModelProperty; value: true };
  namesError: { target: ModelProperty; value: true };
  describesRecordsOf: { target: ModelProperty; value: { type: string; data: string; keeps?: string } };
  namesChange: { target: ModelProperty; value: true };
  namesFieldsOf: { target: ModelProperty; value: string };
  chosenFrom: { target: ModelProperty; value: string };
  statusSets: { target: Enum; value: readonly StatusSetMark[] };
  digits: { target: Scalar; value: { precision: number; scale: number } };
  lines: { target: Scalar; value: 'one' | 'many' };
  problem: { target: EnumMember; value: { status: number; message: string } };
  fieldProblem: { target: EnumMember; value: { message: string } };
  saidAs: { target: EnumMember; value: { category: string; code: string } };
  tellsOf: { target: EnumMember; value: { resource: string | null; members: readonly string[] } };
  verb: { target: Operation; value: string };
  alias: { target: Operation; value: string };
  xmlRoot: { target: Operation; value: string };
  deprecatedSince: { target: Operation; value: string };
  withdrawn: { target: Operation; value: true };
  serves: { target: Interface; value: Model };
  servesPath: { target: Interface; value: string };
  nested: { target: Interface; value: NestedMark };
  recordId: { target: ModelProperty; value: true };
}

/** A reference to records of a resource by their ids or, if given, by the field `by`. */
interface ReferenceMark {
  readonly resource: string;
  readonly by: string | undefined;
}

/** The nested resource that an interface serves; without a field, it has no id of a parent in its path. */
export interface NestedMark {
  readonly parent: Model;
  readonly child: Model;
  readonly segment: string;
  readonly field: string | undefined;
}

/** A named set of an enumeration's members. */
export interface StatusSetMark {
  readonly name: string;
  readonly summary: string;
  readonly members: readonly EnumMember[];
}

/** A relation of a resource: the records of `related` whose field `to` equals this record's `from`. */
export interface RelationMark {
  readonly name: string;
  readonly short: string;
  readonly related: Model;
  readonly from: string;
  readonly to: string;
  readonly many: boolean;
}

const stateOf = <K extends keyof Marks>(program: Program, mark: K): Map<Type, Marks[K]['value']> =>
  program.stateMap(Symbol.for(`staffing.${mark}`));

/** Returns the value that is recorded for the mark on the type. */
export const markOf = <K extends keyof Marks>(
  program: Program,
  mark: K,
  target: Marks[K]['target'],
): Marks[K]['value'] | undefined => stateOf(program, mark).get(target);

/** Records the value for the mark on the type. */
export const setMark = <K extends keyof Marks>(
  { program }: DecoratorContext,
  mark: K,
  target: Marks[K]['target'],
  value: Marks[K]['value'],
): void => {
  stateOf(program, mark).set(target, value);
};

/** Returns the name of the field that identifies records: the one marked `@identifies`, or `id`. */
export const keyOf = (program: Program, model: Model): string =>
  [...model.properties.values()].find(property => markOf(program, 'identifies', property))?.name ?? 'id';

/**
 * Returns the name of the field that identifies records for other systems.
 * Undefined if the model has none.
 */
export const externalKeyOf = (program: Program, model: Model): string | undefined =>
  [...model.properties.values()].find(property => markOf(program, 'identifiesExternally', property))?.name;
