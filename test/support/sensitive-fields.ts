/** The sensitive fields by category: an independent copy for comparison. */
export const sensitiveFields: Readonly<Record<string, readonly string[]>> = {
  pay: [
    'assignment-billings: billable_amount, currency, factor, rate',
    'assignment-wages: base_value, currency, factor, payable_amount',
    'assignments: correction, paid_on, pay_amount',
    'billing-components: factor',
    'pay-run-lines: amount, corrects_paysheet_id, corrects_period_end, corrects_period_start, currency, factor, kind, quantity, rate, unit, wage_type_external_id, wage_type_id, wage_type_name',
    'pay-runs: paid_on, status, total, totals',
    'payroll-exports: acknowledged_on, file_id, lines, preview, reference, sha256, totals',
    'paysheets: corrects_paysheet_id, currency, kind, lines, number, paid_on, status, total',
    'wage-profiles: wage_types',
    'wage-proposals: amount, currency, unit, wage_type.name',
  ],
  contact: [
    'contacts: email, mobile',
    'employees: address_first, address_second, city, email, mobile, zip',
    'planners: email, phone',
  ],
  personal: [
    'assignment-employment-reports: data',
    'assignments: remarks',
    'contacts: gender',
    'employees: birthday, country, gender, language_id',
    'wage-proposals: remarks',
    'work-time-proposals: remarks',
  ],
  health: ['busy-dates: busy_entry, reason', 'conflicts: busy_date_id'],
  identity: [
    'assignment-contract: data, file',
    'checkins: hash',
    'livestamps: latitude, longitude',
    'work-time-proposals: signature_file_id',
  ],
};
