import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isDate } from './time.ts';

/** The one instance: each would cost tens of milliseconds and megabytes. `verbose` keeps the failing value. */
export const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, validateFormats: true });
addFormats.default(ajv);
ajv.addFormat('date', isDate);

export type { ErrorObject };
