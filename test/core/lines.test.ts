import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import document from '../../generated/openapi.json' with { type: 'json' };
import { isClean, type Lines, normalise, patterns } from '../../src/core/lines.ts';

const kinds: readonly Lines[] = ['one', 'many'];
const { Line, Name, Text } = document.components.schemas;

/** Strings with many control characters, white space, combining marks and direction marks. */
const strings = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\n',
      '\t',
      '\r',
      '\0',
      ' ',
      '\u00a0',
      '\u3000',
      '\u0308',
      'a',
      'e',
      '\u202e',
      '\u2069',
      '\ud83d\ude00',
      '\ud800',
      '\ufffe',
      '\u{1fffe}',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

describe('strings of one line and of many', () => {
  for (const lines of kinds) {
    it(`${lines}: the stored form of a stored form is itself`, () => {
      fc.assert(
        fc.property(strings, text => assert.equal(normalise(lines, normalise(lines, text)), normalise(lines, text))),
      );
    });

    it(`${lines}: canonically equivalent strings have the same stored form`, () => {
      fc.assert(
        fc.property(strings, text => {
          fc.pre(isClean(lines, text));
          assert.equal(normalise(lines, text.normalize('NFD')), normalise(lines, text));
        }),
      );
    });

    it(`${lines}: normalising makes no forbidden character and removes none`, () => {
      fc.assert(
        fc.property(strings, text => assert.equal(isClean(lines, normalise(lines, text)), isClean(lines, text))),
      );
    });

    it(`${lines}: the pattern in the document accepts exactly the clean strings`, () => {
      const pattern = new RegExp({ one: Line, many: Text }[lines].pattern, 'u');
      fc.assert(
        fc.property(strings, text => {
          fc.pre(text.isWellFormed());
          // Not all engines of patterns can name those beyond the first plane.
          fc.pre(
            ![...text].some(character => character.length === 2 && /\p{Noncharacter_Code_Point}/u.test(character)),
          );
          assert.equal(pattern.test(text), isClean(lines, text));
        }),
      );
    });
  }

  it('the document and the service have the same patterns', () => {
    assert.deepEqual([Line.pattern, Name.pattern, Text.pattern], [patterns.one, patterns.one, patterns.many]);
  });

  it('a line has no white space at its ends', () => {
    fc.assert(
      fc.property(strings, text => {
        fc.pre(isClean('one', text));
        assert.equal(normalise('one', text).trim(), normalise('one', text));
      }),
    );
  });

  it('the last two characters of each plane are forbidden', () => {
    for (let plane = 0; plane <= 16; plane++)
      for (const last of [0xfffe, 0xffff])
        for (const lines of kinds) assert.ok(!isClean(lines, `a${String.fromCodePoint(plane * 0x10000 + last)}`));
    assert.ok(isClean('one', '\u{1fffd}\u{20000}\ufffd\ufdf0'));
  });

  it('every control character, noncharacter and character that changes the direction of text is forbidden', () => {
    const forbidden = (lines: Lines) =>
      Array.from({ length: 0x10000 }, (_, code) => code).filter(code => !isClean(lines, String.fromCharCode(code)));
    const range = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const all = [
      range(0, 0x1f),
      range(0x7f, 0x9f),
      range(0x202a, 0x202e),
      range(0x2066, 0x2069),
      range(0xd800, 0xdfff),
      range(0xfdd0, 0xfdef),
      range(0xfffe, 0xffff),
    ].flat();
    assert.deepEqual(forbidden('one'), all);
    assert.deepEqual(
      forbidden('many'),
      all.filter(code => code !== 0x0a && code !== 0x09),
    );
  });
});
