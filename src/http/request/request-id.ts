import { randomUUID } from 'node:crypto';

const safe = /^[\w.:+/=@~-]{1,128}$/;

/** Returns the client's X-Request-Id if it is safe to repeat; otherwise a new one. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && safe.test(header) ? header : randomUUID();
