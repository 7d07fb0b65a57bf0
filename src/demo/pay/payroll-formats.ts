import { presets } from '../../../generated/payroll-presets.ts';

const row = (id: number, preset: keyof typeof presets, given: object) => ({
  id,
  external_id: `PF-${id}`,
  preset,
  // All rows have the columns of the first.
  group_by: null,
  variables: {},
  maps: {},
  ...presets[preset].format,
  ...given,
});

/**
 * Makes formats of payroll files, of presets.
 * The numbers of the adviser and the client, the wage types and the processing keys are those of a client for tests.
 */
export const makePayrollFormats = () => [
  row(1, 'datev-lodas', {
    name: 'LODAS, client 12345',
    variables: { adviser: '1001', client: '12345' },
    maps: {
      wage_types: {
        'LA-100': '200',
        'LA-210': '210',
        'LA-220': '220',
        'LA-230': '230',
        'LA-400': '400',
        'LA-500': '500',
        'HO-100': '800',
        'HO-500': '850',
      },
      processing_keys: { hour: '1', assignment: '2', EUR: '3' },
    },
  }),
  row(2, 'csv', { name: 'All lines as CSV' }),
];
