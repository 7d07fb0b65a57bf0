import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formats } from './formats.ts';
import { isDate } from './time.ts';

/** The one instance: each would cost tens of milliseconds and megabytes. `verbose` keeps the failing value. */
export const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, validateFormats: true });
addFormats.default(ajv);
for (const [name, format] of Object.entries(formats)) if (format) ajv.addFormat(name, format.test);
// These only say how a value is shown.
for (const name of ['currency', 'int']) ajv.addFormat(name, true);
ajv.addFormat('date', isDate);

export type { ErrorObject };
