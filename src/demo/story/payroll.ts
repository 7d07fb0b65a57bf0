import { presets } from '../../../generated/payroll-presets.ts';
import type { DemoRow } from '../generate.ts';

const lodas = presets['datev-lodas'].format;

/** Rows have the same columns. */
const row = (id: number, name: string, preset: string, format: object): DemoRow => ({
  id,
  name,
  preset,
  encoding: 'utf-8',
  newline: 'crlf',
  quote: '"',
  group_by: null,
  variables: {},
  maps: {},
  ...format,
});

/**
 * Formats of payroll files, made of presets.
 * The numbers of the adviser and the client, the wage types and the processing keys are those of a client for tests.
 */
export const payrollFormats: readonly DemoRow[] = [
  row(1, 'LODAS, client 12345', 'datev-lodas', {
    ...lodas,
    name: 'LODAS, client 12345',
    variables: { adviser: '1001', client: '12345' },
    maps: {
      wage_types: {
        'LA-100': '200',
        'LA-210': '210',
        'LA-220': '220',
        'LA-400': '400',
        'LA-500': '500',
        'HO-100': '800',
        'HO-500': '850',
      },
      processing_keys: { hour: '1', assignment: '2', EUR: '3' },
    },
  }),
  row(2, 'All lines as CSV', 'csv', {
    ...presets.csv.format,
    name: 'All lines as CSV',
    header: null,
    variables: {},
    maps: {},
  }),
];
