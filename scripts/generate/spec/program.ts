import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { compile, type Diagnostic, formatDiagnostic, type Namespace, NodeHost, type Program } from '@typespec/compiler';

/** The error for an invalid spec; its message has one line for each problem, with file and line. */
export class SpecError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(diagnostic => formatDiagnostic(diagnostic)).join('\n'));
    this.name = 'SpecError';
    this.diagnostics = diagnostics;
  }
}

/** Throws a `SpecError` if the compiler or a check of the generator has reported a problem. */
export const throwProblems = ({ diagnostics }: Pick<Program, 'diagnostics'>): void => {
  if (diagnostics.length > 0) throw new SpecError(diagnostics);
};

/**
 * Compiles main.tsp of the first folder with the `.tsp` files of all folders.
 * They are in the folders `conventions`, `resources` and `tables`.
 * @throws SpecError if the compiler reports an error or a warning
 */
export const compileSpec = async (specDirs: readonly string[]): Promise<Program> => {
  const [main] = specDirs;
  if (!main) throw new RangeError('Pass at least one folder with a spec.');
  const program = await compile(NodeHost, join(main, 'main.tsp'), {
    additionalImports: specDirs.flatMap(specDir =>
      ['conventions', 'resources', 'tables'].flatMap(folder => specFiles(join(specDir, folder))),
    ),
    noEmit: true,
  });
  throwProblems(program);
  return program;
};

const specFiles = (folder: string): readonly string[] =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter(name => name.endsWith('.tsp'))
    .sort()
    .map(name => join(folder, name));

/** Returns the namespace of the spec. */
export const namespaceOf = (program: Program): Namespace => {
  const namespace = program.getGlobalNamespaceType().namespaces.get('Staffing');
  if (!namespace) throw new Error('The spec has no namespace Staffing.');
  return namespace;
};
