declare module 'mime-types' {
  /** Returns the MIME type of a file name's extension. */
  export const lookup: (name: string) => string | false;
}
