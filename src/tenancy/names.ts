import { parseHost } from '../core/host.ts';
import { type Module, modules } from '../core/modules.ts';

/** What is wrong with a name, zone, list or duration that an administrator gave; worded for them. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const slugPattern = new RegExp(`^${label}$`);

/** Whether a text can be a tenant's slug: the first label of its host name. */
export const isSlug = (text: string): boolean => slugPattern.test(text);

/** @throws InputError */
export const parseSlug = (text: string): string => {
  if (isSlug(text)) return text;
  throw new InputError(
    `"${text}" cannot be a slug: 1 to 63 lower-case letters, digits and hyphens, a letter or digit first and last; for example acme-events`,
  );
};

/** A host name in lower case, without port and final dot. @throws InputError */
export const readHostName = (text: string): string => {
  const host = parseHost(text);
  if (host && host.authority === host.name) return host.name;
  throw new InputError(
    `"${text}" is not a host name: letters, digits, hyphens and dots, no port; for example jobs.acme.example`,
  );
};

/** An IANA time zone by its canonical name. @throws InputError */
export const parseTimeZone = (text: string): string => {
  try {
    if (/^[A-Za-z]/.test(text)) return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    // Told below, as a text that cannot even be one.
  }
  throw new InputError(`"${text}" is not a time zone: give an IANA name, for example Europe/Berlin`);
};

/** `all`, `none` or module names separated by commas. @throws InputError */
export const parseModules = (text: string): readonly Module[] => {
  if (text === 'all') return modules;
  if (text === 'none') return [];
  const names = [...new Set(text.split(',').map(name => name.trim()))];
  const unknown = names.filter(name => !modules.some(known => known === name));
  if (unknown.length > 0) {
    throw new InputError(
      `Unknown module ${unknown.map(name => `"${name}"`).join(', ')}: give all, none or some of ${modules.join(',')}`,
    );
  }
  return modules.filter(known => names.includes(known));
};

/** A whole number from 1 to a thousand million. @throws InputError */
export const parseCount = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InputError(`"${text}" is not a number of requests: give a whole number above 0, for example 6000`);
};

const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800, y: 31_536_000 };
const longest = 10 * 31_536_000;

/** Seconds of a duration such as `45m`, `12h`, `30d`, `2w` or `1y`; at most ten years. @throws InputError */
export const parseDuration = (text: string): number => {
  const [, count, unit = ''] = /^([1-9]\d{0,8})([mhdwy])$/.exec(text) ?? [];
  const seconds = Number(count) * (units[unit] ?? Number.NaN);
  if (seconds > 0 && seconds <= longest) return seconds;
  throw new InputError(`"${text}" is not a duration: a number and m, h, d, w or y, at most 10y; for example 30d`);
};

/** A displayed name of 1 to 200 characters without control characters. @throws InputError */
export const parseName = (text: string): string => {
  const name = text.trim();
  if (name.length > 0 && name.length <= 200 && !/\p{Cc}/u.test(name)) return name;
  throw new InputError('A name has 1 to 200 characters and no control characters');
};
