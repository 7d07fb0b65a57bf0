/** Statuses and parameters of each kind of operation, identified by the form of its method and path. */
export const kinds: readonly {
  readonly form: RegExp;
  readonly statuses: readonly number[];
  readonly parameters: readonly string[];
}[] = [
  {
    form: /^GET \/[^/]+(\/\{id\}\/[^/]+s)?$/,
    statuses: [200, 401],
    parameters: ['fields', 'sort', 'embed'],
  },
  {
    form: /^GET \/[^/]+\/\{id\}(\/value|\/attributes\/\{attribute_id\})?$/,
    statuses: [200, 401, 404],
    parameters: ['id', 'fields', 'embed'],
  },
  { form: /^POST /, statuses: [201, 401, 422], parameters: [] },
  { form: /^PUT /, statuses: [200, 401, 404, 422], parameters: ['id'] },
  { form: /^DELETE /, statuses: [204, 401, 404], parameters: ['id'] },
];
