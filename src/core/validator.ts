import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formats } from './formats.ts';
import { isDate } from './time.ts';

/**
 * The shared Ajv instance: each further one would cost tens of milliseconds and megabytes. `verbose` adds the invalid value to
 * errors.
 */
export const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, validateFormats: true });
addFormats.default(ajv);
for (const [name, format] of Object.entries(formats)) if (format) ajv.addFormat(name, format.test);
// These formats only describe the presentation of a value.
for (const name of ['currency', 'int']) ajv.addFormat(name, true);
ajv.addFormat('date', isDate);

export type { ErrorObject };
