import type { Json } from '../json/value.ts';

/** What an API user is shown of the values of a field. */
export interface ShownValue {
  /** The field whose value is the second argument. */
  readonly beside?: string;
  readonly value: (value: Json, beside: string | null) => Json;
}
