/** The path under which the API lies, as the server of the document has it. */
export const root = '/api/v1';
