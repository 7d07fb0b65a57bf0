import { furtherFields } from './further-fields.ts';
import { fields } from './specification.ts';

/** The resources of the specification; tests of every resource are limited to these. */
export const specified: ReadonlySet<string> = new Set([...Object.keys(fields), ...Object.keys(furtherFields)]);

/** The resources of which the demo tenant has records: those of the specification, and one additional. */
export const shown: ReadonlySet<string> = new Set([...specified, 'automation-deliveries']);
