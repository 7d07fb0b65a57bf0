/** Returns the values as a Postgres array literal. */
export const arrayLiteral = (values: readonly (number | string)[]): string =>
  `{${values.map(value => (typeof value === 'number' ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`;
