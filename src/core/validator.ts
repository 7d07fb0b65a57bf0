import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/**
 * The shared Ajv instance: each further one would cost tens of milliseconds and megabytes. `verbose` adds the invalid value to
 * errors.
 */
export const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, validateFormats: true });
addFormats.default(ajv);

export type { ErrorObject };
