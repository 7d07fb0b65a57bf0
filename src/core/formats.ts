import { fullFormats } from 'ajv-formats/dist/formats.js';

/** The check of a string format; an empty string always passes. */
export interface StringFormat {
  readonly test: (text: string) => boolean;
  readonly expected: string;
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);

/** Whether a string is the name of a time zone in the IANA database. */
const isTimeZone = (name: string): boolean => zones.has(name);

const email = fullFormats.email as RegExp;

const format = (test: (text: string) => boolean, expected: string): StringFormat => ({
  test: text => text === '' || test(text),
  expected,
});

/** The document's string formats that JSON Schema does not define or defines differently. */
export const formats: Readonly<Record<string, StringFormat | undefined>> = {
  email: format(text => email.test(text), 'an e-mail address is expected'),
  phone: format(
    text => /^\+?[\d\s()/.-]{3,40}$/.test(text),
    'a telephone number is expected (digits, spaces and + ( ) / . -)',
  ),
  json: format(parses, 'a JSON string is expected'),
  'time-zone': format(isTimeZone, 'an IANA time zone is expected, such as Europe/Berlin'),
};
