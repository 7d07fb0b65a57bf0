import type { RawStatement } from '../connection.ts';

/**
 * Sets what statements and results rely on, for which databases and roles can have other defaults.
 * A transaction pooler follows those that it knows of (DateStyle, TimeZone) or begins with its own.
 */
export const standardSettings: RawStatement = {
  name: null,
  text: `select ${Object.entries({
    DateStyle: 'ISO, YMD',
    TimeZone: 'UTC',
    IntervalStyle: 'postgres',
    quote_all_identifiers: 'off',
    standard_conforming_strings: 'on',
    backslash_quote: 'safe_encoding',
    bytea_output: 'hex',
    extra_float_digits: '1',
    array_nulls: 'on',
    transform_null_equals: 'off',
    row_security: 'on',
    default_transaction_isolation: 'read committed',
    default_transaction_deferrable: 'off',
    check_function_bodies: 'on',
    xmloption: 'content',
  })
    .map(([name, value]) => `set_config('${name}', '${value}', false)`)
    .join(', ')}`,
  values: [],
};
