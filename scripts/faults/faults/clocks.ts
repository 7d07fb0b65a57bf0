import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jsonwebtoken from 'jsonwebtoken';
import { senderOf } from '../../../test/replica/caller.ts';
import { deployments } from '../deployment.ts';
import type { Fault } from '../fault.ts';
import type { FaultGround } from '../ground.ts';
import { untilLasting } from '../ledger.ts';
import { faketimeLibrary } from '../system.ts';

/** Seconds by which the clock is wrong, and the statuses with tokens that are new, and that end soon. */
const steps = [
  { seconds: 25, fresh: 200, ending: 200 },
  { seconds: -25, fresh: 200, ending: 200 },
  { seconds: 120, fresh: 200, ending: 401 },
  { seconds: -120, fresh: 401, ending: 401 },
  { seconds: -3600, fresh: 401, ending: 401 },
  { seconds: 0, fresh: 200, ending: 200 },
] as const;

/** Seconds for which tokens are valid. */
const lifetimes = { fresh: 3600, ending: 20 } as const;

const setClock = ({ folder }: FaultGround, seconds: number): void =>
  writeFileSync(join(folder, 'clock'), `${seconds < 0 ? '' : '+'}${seconds}`);

/** Returns the token of a client, as it would have been issued now. */
const issuedNow = ({ client, keySet }: FaultGround, lifetime: number): string => {
  const claims = jsonwebtoken.decode(client.token) as Record<string, unknown>;
  const iat = Math.floor(Date.now() / 1000);
  const { key, kid } = keySet.signing;
  return jsonwebtoken.sign({ ...claims, iat, exp: iat + lifetime }, key, { algorithm: keySet.algorithm, keyid: kid });
};

/** The clock of the service goes wrong, and right again. */
export const wrongClock: Fault = {
  name: 'the clock is wrong',
  deployments,
  short: ['postgres'],
  obstacle: () => (faketimeLibrary() === null ? 'there is no libfaketime' : null),
  prepare: async ground => {
    setClock(ground, 0);
    Object.assign(ground.service.environment, {
      ...{ LD_PRELOAD: faketimeLibrary(), FAKETIME_TIMESTAMP_FILE: join(ground.folder, 'clock') },
      ...{ FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' },
    });
  },
  happen: async (ground, ledger) => {
    const { client, service } = ground;
    for (const { seconds, ...expected } of steps) {
      setClock(ground, seconds);
      await ledger.more(20);
      for (const kind of ['fresh', 'ending'] as const) {
        const response = await untilLasting(async () => {
          const token = issuedNow(ground, lifetimes[kind]);
          const { send, close } = senderOf({ ...client, token }, () => service.port);
          return send('GET', '/clients?limit=1').finally(close);
        });
        const reset = Number(response?.headers['x-rate-limit-reset']);
        if (response?.status !== expected[kind] || !(reset >= 0 && reset <= 60))
          ledger.violations.push(`At ${seconds} s a ${kind} token is ${response?.status}, with a reset of ${reset} s.`);
      }
    }
    return steps.map(({ seconds }) => seconds).join(' ');
  },
};
