import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionOf } from '../../../scripts/publish/collection.ts';
import { readGenerated } from '../../../scripts/publish/published.ts';
import { document } from '../../support/conformance/document.ts';
import { examples } from '../../support/examples.ts';

// biome-ignore lint/suspicious/noExplicitAny: a collection of another program
const collection = collectionOf(readGenerated().document) as any;
// biome-ignore lint/suspicious/noExplicitAny: as above
const requests: any[] = collection.item.flatMap((folder: any) => folder.item.map((item: any) => item.request));

/** Returns what a program that imports the collection sends, with some of the parameters that are switched off. */
// biome-ignore lint/suspicious/noExplicitAny: as above
const sentBy = ({ method, url, body }: any, more: readonly string[]) => {
  const values = new Map<string, string>(
    (url.variable ?? []).map(({ key, value }: Record<string, string>) => [key, value]),
  );
  const path = url.path.map((part: string) => (part.startsWith(':') ? values.get(part.slice(1)) : part)).join('/');
  const query = (url.query ?? [])
    .filter(({ key, disabled }: Record<string, string>) => !disabled || more.includes(String(key)))
    .map(({ key, value }: Record<string, string>) => [key, more.includes(String(key)) ? 'true' : value]);
  const target = `/${path}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`;
  const isJson = body?.options?.raw.language === 'json';
  return { method, target, body: isJson ? JSON.parse(body.raw) : body?.raw };
};

describe('the collection of requests in the published bundle', () => {
  it('has each operation of the document once, and no other', () => {
    const named = requests.map(({ method, url }) => {
      const path = url.path.map((part: string) => part.replace(/^:(\w+)/, '{$1}')).join('/');
      return `${method} /${path}`;
    });
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map(method => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(named.toSorted(), operations.toSorted());
  });

  it("sends the document's examples, which a new demo tenant accepts (test/demo/examples.test.ts)", () => {
    const textOf = (body: unknown) => (Buffer.isBuffer(body) ? String(body) : body);
    const shown = requests.map(request => sentBy(request, ['dry_run']));
    for (const { method, target, body } of examples) {
      const request = shown.find(candidate => candidate.method === method && candidate.target === target);
      assert.ok(request, `${method} ${target}`);
      if (request.body !== undefined) assert.deepEqual(request.body, textOf(body), target);
    }
    assert.equal(shown.length, examples.length);
  });

  it('sends required parameters only, and the token as it is given', () => {
    const optional = requests.flatMap(({ url }) => url.query ?? []).filter(({ disabled }) => disabled);
    assert.ok(optional.length > 500);
    assert.deepEqual(collection.auth.bearer[0].value, '{{token}}');
    for (const { url } of requests) assert.ok(url.raw.startsWith('{{baseUrl}}/'));
  });
});
