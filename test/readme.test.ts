import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { configTable } from '../scripts/config-table.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('README', () => {
  it('has the table of variables that the configuration knows', () => {
    assert.ok(read('README.md').includes(configTable().join('\n')), 'node scripts/config-table.ts prints the table');
  });

  it('refers to existing files only, except those that its steps create', () => {
    const name = /(?<!^\d+\. )`((?:src|spec|test)\/[\w./-]+\.(?:ts|tsp))`/gm;
    const names = [...read('README.md').matchAll(name)].map(([, name]) => name);
    assert.ok(names.length > 5);
    for (const name of names) assert.doesNotThrow(() => read(String(name)), String(name));
  });
});
