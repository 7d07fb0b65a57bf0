import { type Module, modules } from '../core/resource/modules.ts';

/** A parsed host name with an optional port. */
export interface Host {
  /** In lower case, without port and without a trailing dot. */
  readonly name: string;
  /** The name with the port, if there is one: `demo.localhost:8443`. */
  readonly authority: string;
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const slugPattern = new RegExp(`^${label}$`);
const hostPattern = new RegExp(`^(${label}(?:\\.${label})*)\\.?(?::(\\d{1,5}))?$`);

/** Parses a host name of letters, digits and hyphens with an optional port; null: no such name. */
export const parseHost = (text: string): Host | null => {
  if (text.length > 260) return null;
  const [, name, port] = hostPattern.exec(text.toLowerCase()) ?? [];
  if (name === undefined || name.length > 253 || Number(port ?? 0) > 65_535) return null;
  return { name, authority: port === undefined ? name : `${name}:${Number(port)}` };
};

/** Invalid input of an administrator; the message is shown to them as it is. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** Returns the slug in a host name of the form `<slug>.<base domain>`; null for any other host name. */
export const slugOf = (host: string, baseDomain: string): string | null => {
  if (!host.endsWith(`.${baseDomain}`)) return null;
  const label = host.slice(0, -baseDomain.length - 1);
  return slugPattern.test(label) ? label : null;
};

/** Parses a tenant's slug: the first label of its host name. @throws InputError */
export const parseSlug = (text: string): string => {
  if (text.startsWith('xn--'))
    throw new InputError(`"${text}" is not a slug: host names with xn-- are encoded ones, of other characters`);
  if (slugPattern.test(text)) return text;
  throw new InputError(
    `"${text}" is not a slug: use 1 to 63 lower-case letters, digits and hyphens, with a letter or digit first and last; for example acme-events`,
  );
};

/** Parses a host name into lower case, without a final dot. @throws InputError */
export const readHostName = (text: string): string => {
  const host = parseHost(text);
  if (host && host.authority === host.name) return host.name;
  throw new InputError(
    `"${text}" is not a host name: use letters, digits, hyphens and dots, without a port; for example jobs.acme.example`,
  );
};

/** Parses an IANA time zone into its canonical name. @throws InputError */
export const parseTimeZone = (text: string): string => {
  try {
    if (/^[A-Za-z]/.test(text)) return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    // Reported below, together with strings that do not begin with a letter.
  }
  throw new InputError(`"${text}" is not a time zone: use an IANA name, for example Europe/Berlin`);
};

/** Parses `all`, `none` or module names separated by commas. @throws InputError */
export const parseModules = (text: string): readonly Module[] => {
  if (text === 'all') return modules;
  if (text === 'none') return [];
  const names = [...new Set(text.split(',').map(name => name.trim()))];
  const unknown = names.filter(name => !modules.some(known => known === name));
  if (unknown.length > 0) {
    throw new InputError(
      `Unknown module ${unknown.map(name => `"${name}"`).join(', ')}: use all, none or some of ${modules.join(',')}`,
    );
  }
  return modules.filter(known => names.includes(known));
};

/** Parses a whole number from 1 to 999,999,999. @throws InputError */
export const parseCount = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(
    `"${text}" is not a number of requests: use a whole number from 1 to 999999999, for example 6000`,
  );
};

const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800, y: 31_536_000 };
const longest = 10 * 31_536_000;

/** Parses a duration of at most ten years, such as `45m` or `2w`, into seconds. @throws InputError */
export const parseDuration = (text: string): number => {
  const [, count, unit = ''] = /^([1-9]\d{0,8})([mhdwy])$/.exec(text) ?? [];
  const seconds = Number(count) * (units[unit] ?? Number.NaN);
  if (seconds > 0 && seconds <= longest) return seconds;
  throw new InputError(`"${text}" is not a duration: use a number and m, h, d, w or y, at most 10y; for example 30d`);
};

/** Parses the name of an API user: one of digits alone could be taken for an id. @throws InputError */
export const parseUserName = (text: string): string => {
  const name = parseName(text);
  if (/\D/.test(name)) return name;
  throw new InputError(`"${name}" could be the id of an API user: use a name with a character that is no digit`);
};

/** Parses a display name of 1 to 200 characters, none of control. @throws InputError */
export const parseName = (text: string): string => {
  const name = text.trim();
  if (name.length > 0 && name.length <= 200 && !/[\p{Cc}\p{Noncharacter_Code_Point}]/u.test(name)) return name;
  throw new InputError('A name must have 1 to 200 characters and no control characters');
};
