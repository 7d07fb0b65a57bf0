import type {
  DecoratorContext,
  EnumMember,
  EnumValue,
  Model,
  ModelProperty,
  Operation,
  Scalar,
} from '@typespec/compiler';
import { setExtension } from '@typespec/openapi';
import { type Marks, markOf, note, type RelationMark } from './marks.ts';
import { servesUnder } from './nested.ts';
import { deprecatedSince, filtersOf, serves } from './operations.ts';
import { shapedAs } from './schemas.ts';
import { statusSet } from './status-sets.ts';

/** Records a decorator without arguments. */
const flag =
  <K extends keyof Marks>(mark: K) =>
  (context: DecoratorContext, target: Marks[K]['target']): void =>
    note(context, mark, target, true as Marks[K]['value']);

/** Records the single argument of a decorator. */
const text =
  <K extends keyof Marks>(mark: K) =>
  (context: DecoratorContext, target: Marks[K]['target'], value: Marks[K]['value']): void =>
    note(context, mark, target, value);

const relation = (
  context: DecoratorContext,
  target: Model,
  name: string,
  related: Model,
  { short, from, to, many = false }: Omit<RelationMark, 'name' | 'related' | 'many'> & { many?: boolean },
): void => {
  const relations = markOf(context.program, 'relations', target) ?? [];
  // Augmenting decorators run last one first.
  note(context, 'relations', target, [{ name, short, related, from, to, many }, ...relations]);
};

/** The decorators that decorators.tsp declares. */
export const $decorators = {
  Staffing: {
    resource: text('resource'),
    table: text('table'),
    needsModule: (context: DecoratorContext, target: Model | Operation, { value }: EnumValue): void =>
      note(context, 'module', target, value.name),
    dynamicFields: flag('dynamicFields'),
    inactiveWhen: (context: DecoratorContext, target: Model, field: string, value: number | boolean): void =>
      note(context, 'inactiveWhen', target, { field, value }),
    keepsDeleted: flag('keepsDeleted'),
    rules: flag('rules'),
    relation,
    references: text('references'),
    derived: text('derived'),
    computed: flag('computed'),
    gathered: flag('gathered'),
    serverKept: flag('serverKept'),
    identifies: flag('identifies'),
    notBefore: text('notBefore'),
    endsAfter: text('endsAfter'),
    wholeDays: (context: DecoratorContext, target: ModelProperty, start: string, flag: string): void =>
      note(context, 'wholeDays', target, { start, flag }),
    predefined: (context: DecoratorContext, target: ModelProperty, id: number, type: string): void =>
      note(context, 'predefined', target, { id, type }),
    statusSet,
    digits: (context: DecoratorContext, target: Scalar, precision: number, scale: number): void =>
      note(context, 'digits', target, { precision, scale }),
    problem: (context: DecoratorContext, target: EnumMember, status: number, message: string): void =>
      note(context, 'problem', target, { status, message }),
    fieldProblem: (context: DecoratorContext, target: EnumMember, message: string): void =>
      note(context, 'fieldProblem', target, { message }),
    shapedAs,
    verb: text('verb'),
    filtersOf,
    predefinedListing: text('alias'),
    xmlRoot: text('xmlRoot'),
    serves,
    servesUnder,
    recordId: flag('recordId'),
    deprecatedSince,
    withdrawn: (context: DecoratorContext, target: Operation): void => {
      note(context, 'withdrawn', target, true);
      setExtension(context.program, target, 'x-withdrawn', true);
    },
  },
};
