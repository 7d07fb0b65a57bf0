import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chapterPage, chaptersOf } from './guide.ts';

/** A file of the explorer. */
export interface ExplorerFile {
  readonly type: string;
  readonly read: () => Buffer;
}

/**
 * Returns the explorer's page for the document at `url`, as HTML.
 * It loads the files of `explorerFiles` from the folder `docs`; both URLs are relative to the page's.
 */
export const explorerPage = (url: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Staffing API</title>
    <link rel="icon" href="data:,">
    <link rel="modulepreload" href="docs/scalar/standalone.esm.js">
    <link rel="preload" href="${url}" as="fetch" crossorigin>
  </head>
  <body>
    <div id="explorer" data-document="${url}"></div>
    <script type="module" src="docs/start.js"></script>
  </body>
</html>
`;

/** The folder of the reference's bundle in its package, which is served as it is. */
const scalar = fileURLToPath(new URL('browser', import.meta.resolve('@scalar/api-reference')));
/** Left out: the sources' map, the other form of the bundle, and the assistant, a remote service. */
const isServed = (name: string): boolean => name.endsWith('.js') && name !== 'standalone.js' && !name.includes('Agent');
const script = 'text/javascript; charset=utf-8';
const html = 'text/html; charset=utf-8';
const css = 'text/css; charset=utf-8';
const markdown = 'text/markdown; charset=utf-8';

/**
 * Returns the files that belong to the explorer's page, by path below its folder `docs`.
 * Scripts, and the guide of the document (its description) in Markdown and as two pages, which link back to `home`.
 */
export const explorerFiles = (document: object, home: string): ReadonlyMap<string, ExplorerFile> => {
  const { info } = document as { info?: { description?: string } };
  const chapters = chaptersOf(info?.description ?? '');
  const page = (title: string, isPart: (title: string) => boolean): ExplorerFile => ({
    type: html,
    read: () =>
      Buffer.from(
        chapterPage(
          title,
          chapters.filter(chapter => isPart(chapter.title)),
          home,
        ),
      ),
  });
  const file = (type: string, path: string): ExplorerFile => ({ type, read: () => readFileSync(path) });
  const scripts = readdirSync(scalar, { recursive: true, encoding: 'utf8' }).filter(isServed);
  return new Map([
    ['start.js', file(script, join(import.meta.dirname, 'start.js'))],
    ['style.css', file(css, join(import.meta.dirname, 'style.css'))],
    ['guide.md', { type: markdown, read: () => Buffer.from(`${info?.description ?? ''}\n`) }],
    ['guide.html', page('Guide', title => title !== 'Errors')],
    ['errors.html', page('Errors', title => title === 'Errors')],
    ...scripts.map(name => [`scalar/${name}`, file(script, join(scalar, name))] as const),
  ]);
};
