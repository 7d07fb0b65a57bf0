/** The base path of the API, as in the OpenAPI document's `servers`. */
export const root = '/api/v1';
