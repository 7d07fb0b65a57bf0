import type { Field } from '../core/resource/resource.ts';

/** One field that a listing is sorted by. */
export interface OrderTerm {
  readonly field: Field;
  readonly descending: boolean;
}
