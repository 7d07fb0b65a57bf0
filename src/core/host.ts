/** A parsed host name with an optional port. */
export interface Host {
  /** In lower case, without port and without a trailing dot. */
  readonly name: string;
  /** The name with the port, if there is one: `demo.localhost:8443`. */
  readonly authority: string;
}

const hostPattern = /^([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*)\.?(?::(\d{1,5}))?$/;

/** Parses a host name of letters, digits and hyphens with an optional port; null: no such name. */
export const parseHost = (text: string): Host | null => {
  if (text.length > 260) return null;
  const [, name, port] = hostPattern.exec(text.toLowerCase()) ?? [];
  if (name === undefined || name.length > 253 || Number(port ?? 0) > 65_535) return null;
  if (name.split('.').some(label => label.startsWith('-') || label.endsWith('-'))) return null;
  return { name, authority: port === undefined ? name : `${name}:${Number(port)}` };
};
