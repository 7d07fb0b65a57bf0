import type { Program, Scalar, Type } from '@typespec/compiler';
import { markOf } from './marks.ts';

/** How values of a type are stored and compared. */
export interface Kind {
  readonly type: 'integer' | 'number' | 'flag' | 'text' | 'date' | 'date_time' | 'json';
  readonly nullable: boolean;
  /** The Postgres type of its column. */
  readonly column: string;
  readonly values?: readonly (string | number)[];
  readonly scale?: number;
  readonly items?: 'integer' | 'text';
  /** The type without null. */
  readonly of: Type;
}

/** Returns the kind of a property's type; null if it can't be stored in a column. */
export const kindOf = (program: Program, type: Type): Kind | null => {
  if (type.kind !== 'Union') return plain(program, type, false);
  const variants = [...type.variants.values()].map(variant => variant.type);
  const values = variants.filter(variant => !isNull(variant));
  const nullable = values.length < variants.length;
  if (values.length === 1) return plain(program, values[0] as Type, nullable);
  // Objects of several shapes.
  return values.every(({ kind }) => kind === 'Model') ? { type: 'json', nullable, column: 'jsonb', of: type } : null;
};

const isNull = (type: Type): boolean => type.kind === 'Intrinsic' && type.name === 'null';

const plain = (program: Program, type: Type, nullable: boolean): Kind | null => {
  if (type.kind === 'Enum') {
    if (type.name === 'Flag') return { type: 'flag', nullable, column: 'boolean', of: type };
    const values = [...type.members.values()].map(({ name, value }) => value ?? name);
    const isText = values.every(value => typeof value === 'string');
    return { type: isText ? 'text' : 'integer', nullable, column: isText ? 'text' : 'integer', values, of: type };
  }
  if (type.kind === 'Scalar') return scalar(program, type, nullable);
  if (type.kind !== 'Model') return null;
  const item = type.name === 'Array' ? kindOf(program, type.indexer?.value as Type) : null;
  const json: Kind = { type: 'json', nullable, column: 'jsonb', of: type };
  return item && (item.type === 'integer' || item.type === 'text') ? { ...json, items: item.type } : json;
};

const scalar = (program: Program, type: Scalar, nullable: boolean): Kind | null => {
  for (let base: Scalar | undefined = type; base; base = base.baseScalar) {
    const digits = markOf(program, 'digits', base);
    if (digits) {
      const { precision, scale } = digits;
      return { type: 'number', nullable, column: `numeric(${precision},${scale})`, scale, of: type };
    }
    const standard = scalars[base.name];
    if (standard) return { ...standard, nullable, of: type };
  }
  return null;
};

const scalars: Record<string, Pick<Kind, 'type' | 'column'>> = {
  int32: { type: 'integer', column: 'integer' },
  safeint: { type: 'integer', column: 'bigint' },
  string: { type: 'text', column: 'text' },
  plainDate: { type: 'date', column: 'date' },
  utcDateTime: { type: 'date_time', column: 'timestamp(0) with time zone' },
};
