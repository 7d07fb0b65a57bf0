/** The format of a response, by the extension of the request's path. */
export type Format = 'json' | 'xml';
