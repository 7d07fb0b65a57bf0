import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hashOf, ownSchema, type SqlFile } from '../../../src/db/schema/files.ts';

interface Released {
  readonly name: string;
  readonly hash: string;
}

/** Name and hash of each migration that a release has had: added with the release, frozen with 1.0.0. */
const released: readonly Released[] = JSON.parse(
  readFileSync(new URL('../../../src/db/migrations/released.json', import.meta.url), 'utf8'),
);

/** The names of released migrations that are gone or changed. */
const broken = (list: readonly Released[], files: readonly SqlFile[]): string[] =>
  list
    .filter(({ name, hash }) => !files.some(file => file.name === name && hashOf(file) === hash))
    .map(({ name }) => name);

test('a released migration never changes', () => {
  assert.deepEqual(broken(released, ownSchema.migrations), []);
});

test('a change, a new name and the loss of a released migration are found', () => {
  const files = ['0001-one', '0002-two', '0003-three', '0004-four'].map(name => ({ name, text: `select '${name}';` }));
  const [one, two, three, four] = files as [SqlFile, SqlFile, SqlFile, SqlFile];
  const list = files.map(file => ({ name: file.name, hash: hashOf(file) }));
  const now = [one, { ...two, text: `${two.text}\n` }, { ...three, name: '0003-third' }];
  assert.deepEqual(broken(list, now), [two.name, three.name, four.name]);
});

test('migrations are numbered from 1 without gaps', () => {
  const numbers = ownSchema.migrations.map(({ name }) => /^(\d{4})-[a-z-]+$/.exec(name)?.[1]);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => String(index + 1).padStart(4, '0')),
  );
});
