import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { hashOf, ownSchema, type Recorded, type SqlFile } from '../../../src/db/schema/files.ts';

const released = ownSchema.released.flatMap(({ migrations }) => migrations);

/** The names of released migrations that are gone or changed. */
const broken = (list: readonly Recorded[], files: readonly SqlFile[]): string[] =>
  list
    .filter(({ name, hash }) => !files.some(file => file.name === name && hashOf(file) === hash))
    .map(({ name }) => name);

test('a released migration never changes', () => {
  assert.ok(released.length > 18);
  assert.deepEqual(broken(released, ownSchema.migrations), []);
});

test('releases whose migrations are kept are those of the changelog, before the present one', () => {
  const text = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  const sections = [...text.matchAll(/^## (\S+) \((?:unreleased|\d{4}-\d\d-\d\d)\)$/gm)].map(([, version]) => version);
  assert.deepEqual(
    sections,
    [...text.matchAll(/^## (\S+)/gm)].map(([, version]) => version),
  );
  const versions = ownSchema.released.map(({ version }) => version);
  const earlier = versions.filter(version => version !== ownSchema.release);
  assert.deepEqual(sections, [ownSchema.release, ...earlier.toReversed()]);
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
