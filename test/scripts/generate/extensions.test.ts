import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

const root = join(import.meta.dirname, '../../..');

/** The keys of the document that OpenAPI does not have. */
const keys = new Set<string>();
JSON.parse(readFileSync(join(root, 'generated/openapi.json'), 'utf8'), (key, value) => {
  if (/^x-[a-z-]+$/.test(key)) keys.add(key);
  // The names of response headers look alike.
  if (key === 'headers') for (const header of Object.keys(value)) keys.delete(header);
  return value;
});

it('each x- extension of the document is read in one place', () => {
  const places = new Map<string, Set<string>>();
  for (const folder of ['src', 'scripts']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const file = `${folder}/${name}`;
      // The benchmark and the comparison of published documents read the document as its users do.
      if (!name.endsWith('.ts') || /^scripts\/(bench|publish)\//.test(file)) continue;
      for (const [, key = ''] of readFileSync(join(root, file), 'utf8').matchAll(/['"](x-[a-z-]+)['"](?!:)/g)) {
        if (keys.has(key)) places.set(key, (places.get(key) ?? new Set()).add(file));
      }
    }
  }
  assert.ok(places.size > 5);
  for (const [key, found] of places) assert.equal(found.size, 1, `${key} is read in ${[...found].join(' and ')}`);
});
