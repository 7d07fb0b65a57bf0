import { Problems } from './problems.ts';
import { type Environment, readEnvironment, readValues } from './values.ts';
import { variables } from './variables.ts';

/** A variable with its value, as it is shown. */
export interface ShownVariable {
  readonly name: string;
  /** The value in use, without secrets; null: not set, and without a default. */
  readonly value: string | null;
  readonly source: 'environment' | 'file' | 'default';
}

/** Hides the password of a URL; a secret that is no URL with a host is hidden completely. */
const masked = (value: string): string => {
  const url = URL.parse(value);
  if (!url?.host) return '***';
  if (url.password !== '') url.password = '***';
  // Query parameters may be secrets too, such as sslpassword.
  for (const name of url.searchParams.keys())
    if (/pass|secret|key|token/i.test(name)) url.searchParams.set(name, '***');
  return url.toString();
};

/**
 * Returns all variables with the values in use, in the order of their table; secrets are hidden.
 * @throws ConfigError if one is invalid
 */
export const showConfig = (environment: Environment): readonly ShownVariable[] => {
  const problems = new Problems();
  const raw = readEnvironment(environment, problems);
  const values = readValues(raw, problems);
  problems.throwIfAny();
  return variables.map(({ name, secret }) => {
    const value = values[name] === undefined ? null : String(values[name]);
    return {
      name,
      value: secret && value !== null ? masked(value) : value,
      source: raw[name] === undefined ? 'default' : environment[name] ? 'environment' : 'file',
    };
  });
};
