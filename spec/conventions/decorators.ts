import type {
  DecoratorContext,
  EnumMember,
  EnumValue,
  Model,
  ModelProperty,
  Operation,
  Scalar,
} from '@typespec/compiler';
import { getExtensions, setExtension } from '@typespec/openapi';
import { addRelated } from '../related.ts';
import { statusSet } from '../status-sets.ts';
import { type Marks, markOf, type RelationMark, setMark } from './marks.ts';
import { servesUnder } from './nested.ts';
import { deprecatedSince, filtersOf, serves, servesPath } from './operations.ts';
import { actionBodiesOf, shapedAs } from './schemas.ts';

/** Creates a decorator without arguments that sets a mark. */
const flagMark =
  <K extends keyof Marks>(mark: K) =>
  (context: DecoratorContext, target: Marks[K]['target']): void =>
    setMark(context, mark, target, true as Marks[K]['value']);

/** Creates a decorator that records its single argument as a mark. */
const valueMark =
  <K extends keyof Marks>(mark: K) =>
  (context: DecoratorContext, target: Marks[K]['target'], value: Marks[K]['value']): void =>
    setMark(context, mark, target, value);

/** Creates a decorator that records its arguments as a mark. */
const listMark =
  <K extends keyof Marks>(mark: K) =>
  (context: DecoratorContext, target: Marks[K]['target'], ...values: string[]): void =>
    setMark(context, mark, target, values as Marks[K]['value']);

const relation = (
  context: DecoratorContext,
  target: Model,
  name: string,
  related: Model,
  { short, from, to, many = false }: Omit<RelationMark, 'name' | 'related' | 'many'> & { many?: boolean },
): void => {
  const relations = markOf(context.program, 'relations', target) ?? [];
  // Augmenting decorators run in reverse order.
  setMark(context, 'relations', target, [{ name, short, related, from, to, many }, ...relations]);
};

/** The decorators that decorators.tsp declares. */
export const $decorators = {
  Staffing: {
    resource: valueMark('resource'),
    table: valueMark('table'),
    needsModule: (context: DecoratorContext, target: Model | Operation, { value }: EnumValue): void =>
      setMark(context, 'module', target, value.name),
    dynamicFields: valueMark('dynamicFields'),
    inactiveWhen: (context: DecoratorContext, target: Model, field: string, value: number | boolean): void =>
      setMark(context, 'inactiveWhen', target, { field, value }),
    keepsDeleted: flagMark('keepsDeleted'),
    forgettable: listMark('forgettable'),
    readWhereReferred: (context: DecoratorContext, target: Model, own: string, field: string, value: string): void =>
      setMark(context, 'readWhereReferred', target, { own, open: { field, value } }),
    readByCategory: valueMark('readByCategory'),
    readOwn: (context: DecoratorContext, target: Model, own: string, about?: string): void =>
      setMark(context, 'readOwn', target, { own, ...(about !== undefined && { about }) }),
    needsScopesOf: listMark('needsScopesOf'),
    unjournalled: flagMark('unjournalled'),
    refersLike: ({ program }: DecoratorContext, target: Model, resource: Model): void =>
      void actionBodiesOf(program).set(target, resource),
    fromFunction: flagMark('fromFunction'),
    supplied: flagMark('supplied'),
    sortedBy: valueMark('sortedBy'),
    rules: flagMark('rules'),
    sentFor: (context: DecoratorContext, target: Model, { name }: EnumMember): void =>
      setMark(context, 'sentFor', target, name),
    exampleIds: valueMark('exampleIds'),
    relation,
    references: (context: DecoratorContext, target: ModelProperty, resource: string, by?: string): void =>
      setMark(context, 'references', target, { resource, by }),
    referencesOneOf: (
      context: DecoratorContext,
      target: ModelProperty,
      field: string,
      resources: Readonly<Record<string, string>>,
    ): void => setMark(context, 'referencesOneOf', target, { field, resources }),
    partOf: listMark('partOf'),
    derived: valueMark('derived'),
    computed: flagMark('computed'),
    unparsed: flagMark('unparsed'),
    sameAs: valueMark('sameAs'),
    firstOf: listMark('firstOf'),
    computedBy: (context: DecoratorContext, target: ModelProperty, name: string, ...of: readonly string[]): void =>
      setMark(context, 'computedBy', target, { function: name, of }),
    derivedFrom: listMark('derivedFrom'),
    inheritsFrom: listMark('inheritsFrom'),
    serverKept: flagMark('serverKept'),
    bracketed: flagMark('bracketed'),
    judged: flagMark('judged'),
    guardsReading: flagMark('guardsReading'),
    identifies: flagMark('identifies'),
    identifiesExternally: flagMark('identifiesExternally'),
    notBefore: valueMark('notBefore'),
    notAfter: valueMark('notAfter'),
    endsAfter: valueMark('endsAfter'),
    wholeDays: (context: DecoratorContext, target: ModelProperty, start: string, flag: string): void =>
      setMark(context, 'wholeDays', target, { start, flag }),
    predefined: (context: DecoratorContext, target: ModelProperty, id: number, type: string): void =>
      setMark(context, 'predefined', target, { id, type }),
    sensitive: (context: DecoratorContext, target: ModelProperty, { value }: EnumValue): void => {
      setMark(context, 'sensitive', target, value.name as Marks['sensitive']['value']);
      setExtension(context.program, target, 'x-sensitive', value.name);
    },
    sensitiveValue: (
      { program }: DecoratorContext,
      target: ModelProperty,
      value: string,
      { value: category }: EnumValue,
    ): void => {
      const others = getExtensions(program, target).get('x-sensitive-values') ?? {};
      setExtension(program, target, 'x-sensitive-values', { ...others, [value]: category.name });
    },
    identifiesItem: ({ program }: DecoratorContext, target: ModelProperty): void =>
      setExtension(program, target, 'x-key', true),
    counts: ({ program }: DecoratorContext, target: ModelProperty, list: string): void =>
      setExtension(program, target, 'x-counts', list),
    namesFieldsOf: valueMark('namesFieldsOf'),
    namesAttributes: flagMark('namesAttributes'),
    namesError: flagMark('namesError'),
    describesRecordsOf: (
      context: DecoratorContext,
      target: ModelProperty,
      type: string,
      data: string,
      keeps?: string,
    ): void => setMark(context, 'describesRecordsOf', target, { type, data, ...(keeps !== undefined && { keeps }) }),
    namesChange: flagMark('namesChange'),
    chosenFrom: valueMark('chosenFrom'),
    statusSet,
    digits: (context: DecoratorContext, target: Scalar, precision: number, scale: number): void => {
      setMark(context, 'digits', target, { precision, scale });
      setExtension(context.program, target, 'x-scale', scale);
    },
    lines: (context: DecoratorContext, target: Scalar, count: 'one' | 'many'): void => {
      setMark(context, 'lines', target, count);
      setExtension(context.program, target, 'x-lines', count);
    },
    problem: (context: DecoratorContext, target: EnumMember, status: number, message: string): void =>
      setMark(context, 'problem', target, { status, message }),
    fieldProblem: (context: DecoratorContext, target: EnumMember, message: string): void =>
      setMark(context, 'fieldProblem', target, { message }),
    saidAs: (context: DecoratorContext, target: EnumMember, { value }: EnumValue, code: string): void =>
      setMark(context, 'saidAs', target, { category: value.name, code }),
    tellsOf: (
      context: DecoratorContext,
      target: EnumMember,
      resource: string | null,
      ...members: readonly string[]
    ): void => setMark(context, 'tellsOf', target, { resource, members }),
    shapedAs,
    verb: valueMark('verb'),
    filtersOf,
    predefinedListing: valueMark('alias'),
    xmlRoot: valueMark('xmlRoot'),
    serves,
    servesPath,
    servesUnder,
    recordId: flagMark('recordId'),
    deprecatedSince,
    withdrawn: (context: DecoratorContext, target: Operation): void => {
      setMark(context, 'withdrawn', target, true);
      setExtension(context.program, target, 'x-withdrawn', true);
    },
  },
};

/**
 * Completes the bodies when all models are decorated.
 * The targets decide which references can be given by external ids.
 */
export const $onValidate = addRelated;
