import type { Mutation } from '../../scripts/mutate/mutation.ts';

// Of JSONP and XML.
const rendering = ['test/http/response/render.test.ts'];
const negotiation = ['test/http/request/negotiate.test.ts'];
const xml = ['test/http/response/xml-text.test.ts'];

export default [
  {
    guarantee: 'A callback is the name of a function.',
    file: 'src/http/request/negotiate.ts',
    find: '[\\w$]*)*$/;',
    replace: '[\\w$]*)*/;',
    tests: negotiation,
    names: 'as a callback',
  },
  {
    guarantee: 'A callback has 128 characters at most.',
    file: 'src/http/request/negotiate.ts',
    find: ' && callback.length <= 128',
    replace: '',
    tests: negotiation,
    names: 'as a callback',
  },
  {
    guarantee: 'A callback is given once.',
    file: 'src/http/request/negotiate.ts',
    find: 'const valid = callbacks.length === 1 && ',
    replace: 'const valid = ',
    tests: negotiation,
    names: 'as a callback',
  },
  {
    guarantee: 'A script does not begin with bytes of its client’s choice.',
    file: 'src/http/response/envelope.ts',
    find: 'return `/**/',
    replace: 'return `',
    tests: rendering,
    names: 'JSONP',
  },
  {
    guarantee: 'No text of a script ends its element or a line.',
    file: 'src/http/response/envelope.ts',
    find: '/[<\\u2028\\u2029]/g',
    replace: '/[\\u2028\\u2029]/g',
    tests: rendering,
    names: 'JSONP',
  },
  {
    guarantee: 'A script has status 200, whatever it tells.',
    file: 'src/http/response/render.ts',
    find: 'return finish(200, outerHeaders(headers, envelope, coded), enveloped, coded);',
    replace: 'return finish(status, outerHeaders(headers, envelope, coded), enveloped, coded);',
    tests: rendering,
    names: 'holds errors',
  },
  {
    guarantee: 'XML has no characters that XML does not allow.',
    file: 'src/http/response/xml-text.ts',
    find: '  return allowed(String(value));',
    replace: '  void allowed;\n  return String(value);',
    tests: xml,
    names: 'writes forbidden characters|whatever texts and names',
  },
  {
    guarantee: 'Names of XML elements are valid.',
    file: 'src/http/response/xml-text.ts',
    find: "const clean = name.replace(forbidden, '_');",
    replace: "const clean = name.replace(/ /g, '_');\n  void forbidden;",
    tests: xml,
    names: 'whatever texts and names',
  },
  {
    guarantee: 'XML distinguishes an empty array from an empty text.',
    file: 'src/http/response/xml-text.ts',
    find: "items.length === 0 ? { '@': { type: 'array' } }",
    replace: "items.length === 0 ? ''",
    tests: xml,
    names: 'writes an empty array|same data as JSON',
  },
  {
    guarantee: 'XML keeps carriage returns.',
    file: 'src/http/response/xml-text.ts',
    find: ".replaceAll('\\r', '&#13;')",
    replace: '',
    tests: xml,
    names: 'writes a carriage return',
  },
] satisfies readonly Mutation[];
