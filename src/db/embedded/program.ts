import { readFile } from 'node:fs/promises';
import type { PGliteOptions } from '@electric-sql/pglite';

/** The program of PGlite, compiled. */
export type CompiledProgram = NonNullable<PGliteOptions['pgliteWasmModule']>;

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledProgram> };

let compiled: Promise<CompiledProgram> | undefined;

const compile = async (): Promise<CompiledProgram> => {
  const file = new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
  return WebAssembly.compile(await readFile(file));
};

/**
 * Returns the program of PGlite, which the threads of the process share.
 * It is kept: a thread without it would compile anew what it runs, which takes longer than all else of opening a database.
 */
export const program = (): Promise<CompiledProgram> => {
  compiled ??= compile().catch(error => {
    compiled = undefined;
    throw error;
  });
  return compiled;
};
