import { type CallerOptions, type Callers, createCallers, type Identity } from '../../src/tenancy/caller/callers.ts';
import { generateKeySet, parseKeySet } from '../../src/tenancy/keys.ts';
import { createTokens } from '../../src/tenancy/tokens.ts';

const { read } = createTokens({
  database: { asOwner: () => Promise.reject(new Error('Tokens are only read here.')) },
  keys: parseKeySet(generateKeySet('HS256'), 'HS256'),
  issuer: 'staffing',
});

/** Creates the look-up of callers under `staffing.test`, with keys of its own unless `readToken` is given. */
export const callersOf = (
  database: CallerOptions['database'],
  more: Partial<Omit<CallerOptions, 'database'>> = {},
): Callers => createCallers({ database, baseDomain: 'staffing.test', readToken: read, ...more });

/** Looks a caller up as a new request that writes. */
export const identify = (callers: Callers, host: string, token: string | null = null): Promise<Identity> =>
  callers.serve(
    { host, token },
    false,
    async identity => identity,
    () => {},
  );
