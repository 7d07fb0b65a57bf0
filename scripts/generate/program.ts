import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compile, type Diagnostic, formatDiagnostic, type Namespace, NodeHost, type Program } from '@typespec/compiler';

/** The spec can't be used; the message has a line for each reason, with its place. */
export class SpecError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(diagnostic => formatDiagnostic(diagnostic)).join('\n'));
    this.name = 'SpecError';
    this.diagnostics = diagnostics;
  }
}

/** Throws a `SpecError` if the compiler, or a check of the generator, has reported anything. */
export const refuseProblems = ({ diagnostics }: Pick<Program, 'diagnostics'>): void => {
  if (diagnostics.length > 0) throw new SpecError(diagnostics);
};

/**
 * Compiles main.tsp of the first folder with every `.tsp` file in the `conventions`, `resources` and `tables` folders of all of them.
 * @throws SpecError for anything that the compiler reports, warnings included
 */
export const compileSpec = async (specDirs: readonly string[]): Promise<Program> => {
  const [main] = specDirs;
  if (!main) throw new RangeError('A folder with a spec is needed');
  const program = await compile(NodeHost, join(main, 'main.tsp'), {
    additionalImports: specDirs.flatMap(specDir =>
      ['conventions', 'resources', 'tables'].flatMap(folder => specFiles(join(specDir, folder))),
    ),
    noEmit: true,
  });
  refuseProblems(program);
  return program;
};

const specFiles = (folder: string): readonly string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter(name => name.endsWith('.tsp'))
    .sort()
    .map(name => join(folder, name));

/** The namespace of the spec. */
export const namespaceOf = (program: Program): Namespace => {
  const namespace = program.getGlobalNamespaceType().namespaces.get('Staffing');
  if (!namespace) throw new Error('The spec has no namespace Staffing.');
  return namespace;
};
