import type { Access } from '../../core/resource/access.ts';
import type { Transaction } from '../../db/database.ts';
import { warn } from '../../engine/writing/warnings.ts';
import { presentedBreach, type ShownBreach } from './shown.ts';

/** Adds breaches of working-time rules that only warn to the response, as the API user may see them. */
export const warnOfBreaches = (breaches: readonly ShownBreach[], access: Access, transaction: Transaction): void =>
  warn(
    breaches.map(breach => presentedBreach(breach, access)),
    transaction,
  );
