import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import ts from 'typescript';
import { generate, repository } from '../../../scripts/generate.ts';
import { temporaryFolder, withResources } from './support.ts';

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

describe('an action', () => {
  const folder = temporaryFolder();
  const sourceDir = join(folder, 'src');
  const outDir = join(folder, 'generated');
  const file = join(sourceDir, 'resources/widgets/spin.ts');
  const other = join(sourceDir, 'resources/widgets/count.ts');

  before(async () => {
    cpSync(repository.sourceDir, sourceDir, { recursive: true });
    mkdirSync(join(sourceDir, 'resources/widgets'), { recursive: true });
    writeFileSync(other, counting([`{ ...ok({ spins: 3, state: 'idle' }), headers: { 'x-spins': '3' } }`]));
    await generate({ ...withResources(folder, widget), outDir, sourceDir });
  });

  const config = ts.readConfigFile(join(repository.sourceDir, '../tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder);
  let program: ts.SemanticDiagnosticsBuilderProgram | undefined;

  /** What type checking says against generated/actions.ts and the handlers; only what has changed is checked again. */
  const errors = (): string => {
    // A host remembers what it has read.
    const host = ts.createIncrementalCompilerHost(options);
    program = ts.createSemanticDiagnosticsBuilderProgram([join(outDir, 'actions.ts')], options, host, program);
    const found = [
      ...program.getConfigFileParsingDiagnostics(),
      ...program.getOptionsDiagnostics(),
      ...program.getSyntacticDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...program.getSemanticDiagnostics(),
    ].filter(({ file: at }) => at && /generated\/actions\.ts$|src\/resources\//.test(at.fileName));
    return ts.formatDiagnostics(found, {
      getCanonicalFileName: name => name,
      getCurrentDirectory: () => folder,
      getNewLine: () => '\n',
    });
  };

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
