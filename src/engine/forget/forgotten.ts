import type { Tenant } from '../../core/principal.ts';
import type { Resource } from '../../core/resource/resource.ts';
import { nowOf } from '../../core/time.ts';
import type { Values } from '../body.ts';

/** The field with the time at which a person was forgotten. */
const field = 'forgotten_at';

/** Returns whether a record is that of a person who has been forgotten. */
export const isForgotten = ({ forgettable }: Resource, record: Values): boolean =>
  forgettable !== undefined && record[field] !== null;

/** Returns when a person was forgotten: now, unless the record has a time already. */
export const forgottenAt = (record: Values, tenant: Tenant): Values => ({
  [field]: record[field] ?? nowOf(tenant).toString({ smallestUnit: 'second', roundingMode: 'floor' }),
});
