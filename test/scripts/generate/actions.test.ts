import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import ts from 'typescript';
import { generate, repository } from '../../../scripts/generate.ts';
import { temporaryFolder, withChanges, withResources } from './support.ts';

const widget = `
/** A widget. */
@resource("widgets")
@example(#{ id: 1, name: "Widget" })
model Widget {
  /** Its id. */
  @visibility(Lifecycle.Read) id: Id;

  /** Its name. */
  name: Name;
}

/** How to spin. */
@example(#{ turns: 3 })
model Spin {
  /** How often. */
  turns: int32;
}

/** Widgets. */
@serves(Widget)
interface Widgets extends List<Widget>, Read<Widget> {
  /** Spins one widget. */
  @summary("Spin a widget")
  @route("{id}/spin")
  @put
  spin(
    ...RecordPath,

    /** How to. */
    @body spin: Spin,
  ): Updated<Widget> | WriteProblems;

  /** Counts the spins of one widget. */
  @summary("Count spins")
  @route("{id}/count")
  @get
  count(...RecordPath): CountResponse | ReadProblems;
}

/** How often a widget has spun. */
@example(#{ spins: 3, state: SpinState.idle })
model Spins {
  /** How often. */
  spins: int32;

  /** Whether it spins. */
  state: SpinState;
}

/** Whether a widget spins. */
enum SpinState {
  /** It does. */
  spinning,

  /** It does not. */
  idle,
}

/** The spins. */
model CountResponse {
  @statusCode _: 200;

  /** How often it has spun. */
  @header("x-spins") spins: string;

  /** The spins. */
  @body body: Spins;
}
`;

const handler = (type: string) => `import { resources } from '../../../generated/resources.ts';
import type { Action } from '../../engine/action.ts';
import { showRecord } from '../../engine/verb.ts';

export const spin: Action<'widgets_spin'> = ({ params, body, ...call }, db) =>
  db.transaction(transaction => {
    const turns: ${type} = body.turns;
    return showRecord(resources.widgets, params.id + turns, call, transaction);
  });
`;

const counting = (replies: readonly string[]) => `import { type Action, ok } from '../../engine/action.ts';

${replies.map((reply, index) => `export const count${index || ''}: Action<'widgets_count'> = async () => (${reply});\n`).join('')}`;

const encoder = (type: string) => `import type { ${type} } from '../formats.ts';

export const tsv = {
  contentType: 'text/tab-separated-values',
  listing: () => ({ begin: '', batch: () => '', end: () => '' }),
} satisfies ${type};
`;

/** Text of the spec, and with one more format. */
const [ndjson, tsv] = [
  '  ndjson: "application/x-ndjson",\n}',
  '  ndjson: "application/x-ndjson",\n\n  /** Cells between tabs. */\n  tsv: "text/tab-separated-values",\n}',
] as const;

const folder = temporaryFolder();
const sourceDir = join(folder, 'src');
const outDir = join(folder, 'generated');

// Once for all tests of this file: the generator compiles the whole spec each time.
before(async () => {
  cpSync(repository.sourceDir, sourceDir, { recursive: true });
  const { specDirs } = withChanges([['conventions/formats.tsp', ndjson, tsv]]);
  const [, more = ''] = withResources(folder, widget).specDirs;
  // No handler and no format has types of clients or of the administration.
  const isWanted = (file: string): boolean => !/^(client|administration)\./.test(file);
  await generate({ specDirs: [...specDirs, more], outDir, sourceDir }, isWanted);
});

const config = ts.readConfigFile(join(repository.sourceDir, '../tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder);
const host = ts.createCompilerHost(options);
const parse = host.getSourceFile;
const parsed = new Map<string, ts.SourceFile>();
/** Parses only what has changed. */
host.getSourceFile = (name, language) => {
  const known = parsed.get(name);
  if (known?.text === host.readFile(name)) return known;
  const file = parse(name, language);
  if (file) parsed.set(name, file);
  return file;
};
// A file that was missing may be there.
host.hasInvalidatedResolutions = path => path.startsWith(outDir.toLowerCase()) || path.startsWith(outDir);
let program: ts.Program | undefined;

/** What type checking says against files of the generated folder and of the sources. */
const errorsIn = (pattern: RegExp): string => {
  const made = ts.createProgram([join(outDir, 'actions.ts'), join(outDir, 'formats.ts')], options, host, program);
  program = made;
  const files = made.getSourceFiles().filter(({ fileName }) => pattern.test(fileName));
  const found = [
    ...made.getConfigFileParsingDiagnostics(),
    ...made.getOptionsDiagnostics(),
    ...made.getGlobalDiagnostics(),
    ...files.flatMap(file => [...made.getSyntacticDiagnostics(file), ...made.getSemanticDiagnostics(file)]),
  ];
  return ts.formatDiagnostics(found, {
    getCanonicalFileName: name => name,
    getCurrentDirectory: () => folder,
    getNewLine: () => '\n',
  });
};

describe('an action', () => {
  const file = join(sourceDir, 'resources/widgets/spin.ts');
  const other = join(sourceDir, 'resources/widgets/count.ts');
  before(() => {
    mkdirSync(join(sourceDir, 'resources/widgets'), { recursive: true });
    writeFileSync(other, counting([`{ ...ok({ spins: 3, state: 'idle' }), headers: { 'x-spins': '3' } }`]));
  });
  const errors = (): string => errorsIn(/generated\/actions\.ts$|src\/resources\/widgets\//);

  it('without a handler does not compile, and the error names the file', () => {
    rmSync(file, { force: true });
    assert.match(errors(), /Cannot find module '\.\.\/src\/resources\/widgets\/spin\.ts'/);
  });

  it('whose handler takes another body does not compile', () => {
    writeFileSync(file, handler('string'));
    assert.match(errors(), /resources\/widgets\/spin\.ts.*Type 'number' is not assignable to type 'string'/);
  });

  it('whose file exports something else does not compile', () => {
    writeFileSync(file, handler('number').replace('const spin:', 'const turn:'));
    assert.match(errors(), /has no exported member (named )?'spin'/);
  });

  it('whose handler returns another record does not compile', () => {
    writeFileSync(file, handler('number').replace('resources.widgets', 'resources.clients'));
    assert.match(errors(), /resources\/widgets\/spin\.ts.*"clients".*not assignable to type '"widgets"'/s);
  });

  it('with its handler compiles', () => {
    writeFileSync(file, handler('number'));
    assert.equal(errors(), '');
  });

  it('that returns a value has its status, its headers and its fields checked', () => {
    const headers = `headers: { 'x-spins': '3' }`;
    const replies: [reply: string, want: RegExp | null][] = [
      [`{ ...ok({ spins: 3, state: 'idle' }), ${headers} }`, null],
      [`{ ...ok({ spins: 3, state: 'idle' }), status: 201, ${headers} }`, /201/],
      [`{ ...ok({ state: 'idle' }), ${headers} }`, /Property 'spins' is missing/],
      [`{ ...ok({ spins: '3', state: 'idle' }), ${headers} }`, /'string'/],
      [`{ ...ok({ spins: 3, state: 'up' }), ${headers} }`, /"up"/],
      [`ok({ spins: 3, state: 'idle' })`, /'"x-spins"' is missing/],
    ];
    writeFileSync(other, counting(replies.map(([reply]) => reply)));
    const found = errors().split(/^(?=\S)/m);
    for (const [index, [reply, want]] of replies.entries()) {
      const line = found.filter(error => error.includes(`count.ts(${index + 3},`)).join('');
      if (want) assert.match(line, want, reply);
      else assert.equal(line, '', reply);
    }
  });
});

describe('a format that the spec names', () => {
  const file = join(sourceDir, 'http/response/formats/tsv.ts');
  const errors = (): string => errorsIn(/formats(\.ts|\/tsv\.ts)$/);

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
