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
}
`;

const handler = (type: string) => `import type { Action } from '../../engine/action.ts';

export const spin: Action<'widgets_spin'> = async ({ params, body }) => {
  const turns: ${type} = body.turns;
  return { status: 200, headers: {}, body: { kind: 'value', name: 'widget', value: { id: params.id, turns } } };
};
`;

describe('an action', () => {
  const folder = temporaryFolder();
  const sourceDir = join(folder, 'src');
  const outDir = join(folder, 'generated');
  const file = join(sourceDir, 'resources/widgets/spin.ts');

  before(async () => {
    cpSync(repository.sourceDir, sourceDir, { recursive: true });
    mkdirSync(join(sourceDir, 'resources/widgets'), { recursive: true });
    await generate({ ...withResources(folder, widget), outDir, sourceDir });
  });

  /** What type checking says against generated/actions.ts and the handlers. */
  const errors = (): string => {
    const config = ts.readConfigFile(join(repository.sourceDir, '../tsconfig.json'), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder);
    const program = ts.createProgram([join(outDir, 'actions.ts')], options);
    const found = ts
      .getPreEmitDiagnostics(program)
      .filter(({ file: at }) => at && /generated\/actions\.ts$|src\/resources\//.test(at.fileName));
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

  it('with its handler compiles', () => {
    writeFileSync(file, handler('number'));
    assert.equal(errors(), '');
  });
});
