/** The special actions of assignments; the specification names applying as an example. */
export const specialActions: readonly string[] = [
  'GET /assignments/configurations',
  'GET /assignments/reporting-forms',
  'POST /assignments/signed-work-data',
  'PUT /assignments/status',
  'GET /assignments/{id}/configurations',
  'GET /assignments/{id}/open-actions',
  'PUT /assignments/{id}/pay',
  'PUT /assignments/{id}/reopen',
  'GET /assignments/{id}/reporting-forms',
  'GET /assignments/{id}/signed-work-data',
  'GET /assignments/{id}/signed-work-data-approvers',
  'PUT /assignments/{id}/status',
  'GET /assignments/{id}/status-map',
  'GET /assignments/{id}/teamsheet',
  'PUT /assignments/{id}/time',
  'POST /assignments/{id}/apply',
];
