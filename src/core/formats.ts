import { fullFormats } from 'ajv-formats/dist/formats.js';

/** What the strings of a format look like; an empty one passes, whatever the format. */
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

/** True for the name of a time zone in the IANA database. */
export const isTimeZone = (name: string): boolean => zones.has(name);

const email = fullFormats.email as RegExp;

const format = (test: (text: string) => boolean, expected: string): StringFormat => ({
  test: text => text === '' || test(text),
  expected,
});

/** The formats of the document that JSON Schema does not have, or takes otherwise. */
export const formats: Readonly<Record<string, StringFormat | undefined>> = {
  email: format(text => email.test(text), 'an e-mail address is expected'),
  phone: format(
    text => /^\+?[\d\s()/.-]{3,40}$/.test(text),
    'a telephone number is expected (digits, blanks and + ( ) / . -)',
  ),
  json: format(parses, 'a JSON text is expected'),
  'time-zone': format(isTimeZone, 'an IANA time zone is expected, such as Europe/Berlin'),
};
