import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import ts from 'typescript';
import { generate, repository } from '../../../scripts/generate.ts';
import { temporaryFolder } from './support.ts';

const encoder = (type: string) => `import type { ${type} } from '../formats.ts';

export const tsv = {
  contentType: 'text/tab-separated-values',
  listing: () => ({ begin: '', batch: () => '', end: () => '' }),
} satisfies ${type};
`;

describe('a format that the spec names', () => {
  const folder = temporaryFolder();
  const [specDir, sourceDir, outDir] = [join(folder, 'spec'), join(folder, 'src'), join(folder, 'generated')];
  const spec = join(specDir, 'conventions/formats.tsp');
  const file = join(sourceDir, 'http/response/formats/tsv.ts');

  before(async () => {
    cpSync(repository.specDirs[0] as string, specDir, { recursive: true });
    cpSync(repository.sourceDir, sourceDir, { recursive: true });
    const more = '\n  /** Cells between tabs. */\n  tsv: "text/tab-separated-values",\n}\n';
    writeFileSync(spec, readFileSync(spec, 'utf8').replace(/\}\s*$/, more));
    await generate({ specDirs: [specDir], outDir, sourceDir });
  });

  /** What type checking says against generated/formats.ts. */
  const errors = (): string => {
    const config = ts.readConfigFile(join(repository.sourceDir, '../tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder);
    const program = ts.createProgram([join(outDir, 'formats.ts')], options);
    const ours = /formats(\.ts|\/tsv\.ts)$/;
    const found = ts.getPreEmitDiagnostics(program).filter(({ file: at }) => ours.test(at?.fileName ?? ''));
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' ')).join('\n');
  };

  it('is a content of every listing in the document', () => {
    const { paths, components } = JSON.parse(readFileSync(join(outDir, 'openapi.json'), 'utf8'));
    const { content } = paths['/clients'].get.responses[200];
    assert.deepEqual(content['text/tab-separated-values'], { schema: { $ref: '#/components/schemas/TsvListing' } });
    assert.equal(components.schemas.TsvListing.description, 'Cells between tabs.');
    const record = paths['/clients/{id}'].get.responses[200].content;
    assert.deepEqual(Object.keys(record), ['application/json', 'application/xml']);
    assert.deepEqual(record['application/xml'], record['application/json']);
  });

  it('does not compile without an encoder, and the error names its file', () => {
    assert.match(errors(), /Cannot find module '\.\.\/src\/http\/response\/formats\/tsv\.ts'/);
  });

  it('compiles with one', () => {
    writeFileSync(file, encoder('ListingFormat'));
    assert.equal(errors(), '');
  });

  it('does not compile with an encoder of listings only where every response has the format', () => {
    const table = join(outDir, 'formats.ts');
    writeFileSync(table, readFileSync(table, 'utf8').replace('{ json, xml }', '{ json, xml, tsv }'));
    assert.match(errors(), /missing the following properties from type 'ResponseFormat': encode, envelope, script/);
  });
});
