import { readFileSync, writeFileSync } from 'node:fs';

/** What the steps of the pipeline check or do, by the function that does it. */
const steps: Readonly<Record<string, string>> = {
  requireHttps: 'HTTPS',
  requireStarted: 'start',
  requireShort: 'length',
  readHost: 'host',
  serve: 'tenant',
  preflight: 'CORS',
  requireValid: 'override',
  identify: 'token',
  countUser: 'rate limit',
  requireFormat: 'format',
  requireModule: 'module',
  requireSandbox: 'sandbox',
  requireScope: 'scope',
  requireWriteAccess: 'write access',
  requireInUse: 'withdrawn',
  readBody: 'body',
  requireMediaType: 'media type',
  createRun: 'parameters',
};

/**
 * Returns the steps of the pipeline in the order of its code.
 * @throws Error if a check has no label here, or a label no check
 */
const stepsOf = (pipeline: string): string[] => {
  const body = pipeline.slice(pipeline.indexOf('const createEntrance'));
  const called = [...body.matchAll(/\b(require[A-Z]\w+|\w+)\(/g)].map(([, name = '']) => name);
  const found = called.filter(name => Object.hasOwn(steps, name) || /^require[A-Z]/.test(name));
  const names = [...new Set(found)];
  const strange = [...names.filter(name => !steps[name]), ...Object.keys(steps).filter(name => !names.includes(name))];
  if (strange.length > 0)
    throw new Error(`scripts/architecture.ts and src/http/pipeline.ts differ: ${strange.join(', ')}`);
  return names.map(name => String(steps[name]));
};

/** Returns the stages in the table of a request's way: the folder and what happens there. */
const stagesOf = (text: string): { readonly where: string; readonly what: string }[] => {
  const rows = /## The way of a request\n[\s\S]*?\n\n(\|[\s\S]*?)\n\n/.exec(text)?.[1]?.split('\n').slice(2) ?? [];
  return rows.map(row => {
    const [, where = '', what = ''] = row.split('|');
    const [first = ''] = /src\/[^`]*/.exec(where) ?? [];
    return { where: first.replace(/^src\//, ''), what: what.trim().replaceAll('`', '') };
  });
};

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Returns a text in lines of at most `length` characters. */
const wrap = (text: string, length: number): string[] =>
  text.match(new RegExp(`.{1,${length}}(?=\\s|$)|\\S+`, 'g'))?.map(line => line.trim()) ?? [];

const textAt = (x: number, y: number, kind: string, lines: readonly string[]): string =>
  lines.map((line, i) => `<text x="${x}" y="${y + i * 15}" class="${kind}">${escaped(line)}</text>`).join('');

const box = (x: number, y: number, width: number, height: number, kind = ''): string =>
  `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" class="${kind}"/>`;

const arrow = (from: readonly [number, number], to: readonly [number, number]): string =>
  `<path d="M${from.join(' ')}L${to.join(' ')}" marker-end="url(#tip)"/>`;

const [columns, width, height, gap] = [4, 224, 114, 26];
const total = columns * width + (columns - 1) * gap + 32;

/**
 * Returns the picture of the architecture.
 * It shows how the spec becomes the tables of the engine, and the way of a request, stage by stage.
 */
export const architecturePicture = (readme: string, pipeline: string): string => {
  const top = [
    ['spec/', 'TypeSpec: resources, fields, relations, errors, examples'],
    ['npm run generate', 'checks the spec, reports mistakes with file and line'],
    ['generated/', 'OpenAPI document, types, the table of all resources'],
    ['src/engine', 'one engine that serves every row of that table'],
  ] as const;
  const x = (column: number) => 16 + column * (width + gap);
  const parts = top.map(([title, text], i) =>
    [
      box(x(i), 16, width, 64, 'data'),
      textAt(x(i) + 12, 38, 'title', [title]),
      textAt(x(i) + 12, 56, 'text', wrap(text, 32)),
    ].join(''),
  );
  for (let i = 1; i < columns; i++) parts.push(arrow([x(i) - gap, 48], [x(i) - 4, 48]));
  const checks = stepsOf(pipeline);
  const stages = stagesOf(readme);
  stages.forEach(({ where, what }, i) => {
    const [row, place] = [Math.floor(i / columns), i % columns];
    const y = 112 + row * (height + gap);
    const isPipeline = where.endsWith('pipeline.ts');
    const text = isPipeline ? `checks: ${checks.join(', ')}` : what;
    parts.push(box(x(place), y, width, height), textAt(x(place) + 12, y + 22, 'title', [`${i + 1}  ${where}`]));
    parts.push(textAt(x(place) + 12, y + 42, 'text', wrap(text, 32)));
    if (place > 0) parts.push(arrow([x(place) - gap, y + height / 2], [x(place) - 4, y + height / 2]));
    else if (row > 0) {
      const middle = y - gap / 2;
      const [from, to] = [x(columns - 1) + width / 2, x(0) + width / 2];
      parts.push(`<path d="M${from} ${y - gap}V${middle}H${to}V${y - 4}" marker-end="url(#tip)"/>`);
    }
  });
  const bottom = 112 + Math.ceil(stages.length / columns) * (height + gap) - gap + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${total} ${bottom}" font-family="system-ui, sans-serif">
<!-- Written by scripts/architecture.ts -->
<title>From the spec to the engine, and the way of a request</title>
<style>
rect { fill: #f6f8fa; stroke: #d0d7de } rect.data { fill: #ddf4ff; stroke: #54aeff }
.title { font-size: 13px; font-weight: 600; fill: #1f2328 } .text { font-size: 11.5px; fill: #59636e }
path { fill: none; stroke: #8b949e; stroke-width: 1.5 } marker path { fill: #8b949e; stroke: none }
@media (prefers-color-scheme: dark) {
rect { fill: #161b22; stroke: #3d444d } rect.data { fill: #0c2d4a; stroke: #1f6feb }
.title { fill: #f0f6fc } .text { fill: #9198a1 }
}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
${parts.join('\n')}
</svg>
`;
};

if (import.meta.main) {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  const picture = architecturePicture(read('docs/architecture.md'), read('src/http/pipeline.ts'));
  writeFileSync(new URL('../docs/images/architecture.svg', import.meta.url), picture);
}
