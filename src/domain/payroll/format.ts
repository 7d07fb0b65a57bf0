import type { Selectable } from 'kysely';
import type { components } from '../../../generated/api.ts';
import { resources } from '../../../generated/resources.ts';
import type { Tables } from '../../../generated/tables.ts';
import { type FieldError, fieldError } from '../../core/errors.ts';
import type { Field } from '../../core/resource/resource.ts';

/** FormatTexts by name. */
type FormatTexts = Readonly<Record<string, string>>;

/** A format of payroll files, as it is stored. */
export interface PayrollFileFormat extends Omit<Selectable<Tables['payroll_formats']>, 'variables' | 'maps'> {
  readonly variables: FormatTexts;
  readonly maps: Readonly<Record<string, FormatTexts>>;
}

/** A cell of each line. */
export type PayrollFileCell = components['schemas']['PayrollCellInput'];

/** The fields of a line that are summed. */
export const summed: readonly string[] = ['quantity', 'amount'];

/** The fields of the lines of pay runs, by name. */
export const lineFields: ReadonlyMap<string, Field> = new Map(
  resources['pay-run-lines'].fields.map(field => [field.name, field]),
);

/** The fields of pay runs that a text can name. */
export const runFields: readonly Field[] = resources['pay-runs'].fields.filter(({ type }) => type !== 'json');

const runNames = new Set(runFields.map(({ name }) => name));

const placeholder = /\{\{([^{}]*)\}\}/g;

/** Returns a text with the values of what it names. @param named returns the value of a name */
export const fill = (text: string, named: (name: string) => string): string =>
  text.replace(placeholder, (_, name: string) => named(name.trim()));

type NamingFormat = Pick<
  PayrollFileFormat,
  'cells' | 'variables' | 'maps' | 'required' | 'header' | 'footer' | 'file_name' | 'group_by' | 'delimiter' | 'quote'
>;

/** Returns the errors of what a format names, of numbers that are none, and of its quote. */
export const formatErrors = ({ header, footer, file_name, cells, ...format }: NamingFormat): readonly FieldError[] => {
  const { group_by: groups, required = [], delimiter, quote } = format;
  const rows = new Set(groups ? [...groups, ...summed] : lineFields.keys());
  return [
    ...(quote !== null && quote === delimiter
      ? [fieldError('invalid_format', 'quote', 'quote: another character than the delimiter is expected.')]
      : []),
    ...Object.entries({ header, footer, file_name }).flatMap(([field, text]) => textErrors(field, text, format)),
    ...(groups ?? []).flatMap((name, index) =>
      lineFields.has(name) && !summed.includes(name) ? [] : [unknown(`group_by.${index}`, name)],
    ),
    ...required.flatMap((name, index) => (rows.has(name) ? [] : [unknown(`required.${index}`, name)])),
    ...cells.flatMap((cell, index) => cellErrors(`cells.${index}`, cell, rows, format)),
  ];
};

const unknown = (field: string, name: string): FieldError =>
  fieldError('unknown_field', field, `${field}: the format has nothing that is called ${name}.`);

const textErrors = (
  field: string,
  text: string | null | undefined,
  { variables }: Pick<PayrollFileFormat, 'variables'>,
) =>
  [...(text ?? '').matchAll(placeholder)].flatMap(([, name = '']) =>
    Object.hasOwn(variables ?? {}, name.trim()) || runNames.has(name.trim()) ? [] : [unknown(field, name.trim())],
  );

const cellErrors = (
  field: string,
  { value, text, map, ...cell }: PayrollFileCell,
  rows: ReadonlySet<string>,
  format: Pick<PayrollFileFormat, 'variables' | 'maps'>,
): readonly FieldError[] => {
  if (value === undefined && text === undefined)
    return [fieldError('not_empty', `${field}.value`, `${field}: value or text is required.`)];
  if (value !== undefined && text !== undefined)
    return [fieldError('unknown_field', `${field}.text`, `${field}: either value or text is expected.`)];
  const numeric = value !== undefined && map === undefined && isNumber(value);
  return [
    ...textErrors(`${field}.text`, text, format),
    ...(value === undefined || rows.has(value) ? [] : [unknown(`${field}.value`, value)]),
    ...(map === undefined || (value !== undefined && Object.hasOwn(format.maps ?? {}, map))
      ? []
      : [unknown(`${field}.map`, map)]),
    ...(['digits', 'scale'] as const).flatMap(name =>
      cell[name] === undefined || numeric ? [] : [noNumber(`${field}.${name}`)],
    ),
    ...(cell.unit === undefined || cell.unit === 'hours' || (numeric && value === 'quantity')
      ? []
      : [noNumber(`${field}.unit`)]),
  ];
};

/** Whether a field of lines is a number. */
export const isNumber = (name: string): boolean => ['integer', 'number'].includes(lineFields.get(name)?.type ?? '');

const noNumber = (field: string): FieldError =>
  fieldError('invalid_type', field, `${field}: it does not apply to the value of the cell.`);
