import { furtherFields } from './further-fields.ts';
import { fields } from './specification.ts';

/** The resources that the specification has: tests that expect something of each one ask for these, and let others be. */
export const specified: ReadonlySet<string> = new Set([...Object.keys(fields), ...Object.keys(furtherFields)]);

/** The resources that the demo tenant has records of: those of the specification, and one of our own. */
export const shown: ReadonlySet<string> = new Set([...specified, 'automation-deliveries']);
