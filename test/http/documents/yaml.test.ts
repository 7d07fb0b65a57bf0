import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { Json } from '../../../src/core/call/reply.ts';
import { toYaml } from '../../../src/http/documents/yaml.ts';

test('what is written as YAML is read as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const want = JSON.parse(JSON.stringify(value));
      for (const version of ['1.1', '1.2'] as const)
        assert.deepEqual(parse(toYaml(want as Json), { version, uniqueKeys: false }), want);
    }),
    {
      examples: [
        [{ on: 'yes', no: [[]], 'a b': [{ c: null }, []], '': '- x', é: '\u2028\u0085' }],
        [[[1, [2]], {}]],
        ['x'],
        [{ e0: false, 'E-1': 1 }],
      ],
    },
  );
});

test('every name of a member is read as the same text', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[-+.\w$]{1,6}$/), name => {
      for (const version of ['1.1', '1.2'] as const)
        assert.deepEqual(parse(toYaml({ [name]: 1 }), { version }), { [name]: 1 });
    }),
    { numRuns: 5000 },
  );
});

test('a document reads as one would write it', () => {
  const text = toYaml({ openapi: '3.1.0', tags: [{ name: 'a', deprecated: true }, 'b'], paths: { '/x': {} } });
  assert.equal(
    text,
    'openapi: "3.1.0"\ntags:\n  -\n    name: "a"\n    deprecated: true\n  - "b"\npaths:\n  "/x": {}\n',
  );
});
