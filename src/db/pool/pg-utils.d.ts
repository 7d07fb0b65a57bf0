declare module 'pg/lib/utils.js' {
  /** Returns a value as the string that Postgres parses; a Buffer as it is. */
  export const prepareValue: (value: unknown) => string | Buffer | null;
}
