import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ruleLines } from '../../../scripts/bench/rules.ts';

it('the benchmark of rules reports medians, and the medians of the ratios in each round', () => {
  const lines = ruleLines(
    new Map([
      ['none', { change: [1, 2, 4], candidates: [10, 10, 10] }],
      ['eight short rules', { change: [1.1, 2.2, 8], candidates: [30, 15, 30] }],
      ['an average', { change: [2, 4, 8], candidates: [90, 90, 90] }],
    ]),
  );
  assert.deepEqual(
    lines.map(({ line, within }) => `${within ? '' : '! '}${line}`),
    [
      'a change of status, rules: none: 2.00 ms',
      'a change of status, rules: eight short rules: 2.20 ms, 1.10 times (at most 1.15)',
      '! a change of status, rules: an average: 4.00 ms, 2.00 times (at most 1.5)',
      'a page of candidates, rules: none: 10.00 ms',
      '! a page of candidates, rules: eight short rules: 30.00 ms, 3.00 times (at most 2)',
      'a page of candidates, rules: an average: 90.00 ms, 9.00 times',
    ],
  );
});
