import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formats } from './formats.ts';
import { isClean, type Lines, linesKeyword } from './lines.ts';
import { hasScale, scaleKeyword } from './numbers.ts';
import { isDate } from './time.ts';

/**
 * The shared Ajv instance: each further one would cost tens of milliseconds and megabytes.
 * `verbose` adds the invalid value to errors.
 */
export const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  verbose: true,
  validateFormats: true,
  code: { process: code => bounded(code) },
});

/** Errors after which a loop over the members or items of a value ends. */
const enough = 200;

/** Returns a validator's code with bounded loops: a body can have a million errors. */
const bounded = (code: string): string =>
  code
    .replaceAll(/for\(let (i\d+)=(\w+); \1<(\w+); \1\+\+\)\{/g, `for(let $1=$2; $1<$3 && errors < ${enough}; $1++){`)
    .replaceAll(/for\(const (key\d+) in (data\d*)\s?\)\s?\{/g, `for(const $1 in $2){if(errors >= ${enough}) break;`);
addFormats.default(ajv);
for (const [name, format] of Object.entries(formats)) if (format) ajv.addFormat(name, format.test);
// These formats only describe the presentation of a value.
for (const name of ['currency', 'int']) ajv.addFormat(name, true);
ajv.addFormat('date', isDate);
// Before the other keywords of strings, so that its error is reported instead of that of the pattern, which it explains.
ajv.addKeyword({
  keyword: linesKeyword,
  type: 'string',
  before: 'maxLength',
  validate: (lines: Lines, text: string) => isClean(lines, text),
});
// Not `multipleOf`: 0.07 is no multiple of 0.01 in binary arithmetic.
ajv.addKeyword({ keyword: scaleKeyword, type: 'number', validate: hasScale });

export type { ErrorObject };
