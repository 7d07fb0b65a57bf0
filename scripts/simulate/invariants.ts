import { acknowledged } from './invariants/acknowledged.ts';
import { acting } from './invariants/acting.ts';
import { booked } from './invariants/booked.ts';
import { copied } from './invariants/copied.ts';
import { expected } from './invariants/expected.ts';
import { filled } from './invariants/filled.ts';
import { foreseen } from './invariants/foreseen.ts';
import { hidden } from './invariants/hidden.ts';
import { imported } from './invariants/imported.ts';
import type { Invariant } from './invariants/invariant.ts';
import { journalled } from './invariants/journalled.ts';
import { paid } from './invariants/paid.ts';
import { restricted } from './invariants/restricted.ts';

/** What holds whatever happens. */
export const invariants: readonly Invariant[] = [
  expected,
  hidden,
  restricted,
  acknowledged,
  booked,
  filled,
  foreseen,
  paid,
  journalled,
  copied,
  acting,
  imported,
];
