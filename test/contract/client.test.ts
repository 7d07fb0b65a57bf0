import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const repository = new URL('../../', import.meta.url);

/** What an integrator would write, by what type checking says of it; null: nothing. */
const uses: readonly [use: string, problem: RegExp | null][] = [
  [`await api.POST('/clients', { body: { company: 'Nordlicht' } })`, null],
  [`await api.POST('/clients', { body: {} })`, /company/],
  [`await api.POST('/clients', { body: { company: 1 } })`, /'number'/],
  [`await api.PUT('/clients/{id}', { params: { path: { id: 7 } }, body: { city: null } })`, null],
  [`await api.POST('/assignments', { body: { employee_id: 1, event_function_id: 2 } })`, null],
  [`await api.POST('/wage-profiles', { body: { name: 'A', wage_types: [{ id: 1, name: 'B' }] } })`, null],
  [
    `const { data } = await api.GET('/clients/{id}', { params: { path: { id: 7 } } });
     if (data) await api.PUT('/clients/{id}', { params: { path: { id: 7 } }, body: data })`,
    null,
  ],
  [
    `const { data } = await api.POST('/clients', { body: { company: 'Nordlicht' } });
     if (data) await api.PUT('/clients/{id}', { params: { path: { id: 7 } }, body: data })`,
    null,
  ],
  [
    `const { data } = await api.POST('/clients', { body: { company: 'Nordlicht' } }); data?.company satisfies string | undefined`,
    null,
  ],
  [`const { data } = await api.GET('/clients'); data?.[0]?.company?.length`, null],
  [`const { data } = await api.GET('/clients'); data?.[0]?.company.length`, /undefined/],
  [`const { error } = await api.GET('/clients'); error?.code satisfies string | undefined`, null],
];

describe('a client that openapi-typescript generates with its default settings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    types: ['node'],
  };
  let program: ts.Program;
  const fileOf = (index: number) => join(folder, `use-${index}.ts`);

  before(async () => {
    symlinkSync(new URL('node_modules', repository).pathname, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(folder, 'api.d.ts'),
      astToString(await openapiTypescript(new URL('generated/openapi.json', repository))),
    );
    for (const [index, [use]] of uses.entries()) {
      const head = `import createClient from 'openapi-fetch';\nimport type { paths } from './api.d.ts';\n`;
      const client = `const api = createClient<paths, 'application/json'>({ baseUrl: 'https://demo.example/api/v1' });\n`;
      writeFileSync(fileOf(index), `${head}${client}${use};\nexport {};\n`);
    }
    program = ts.createProgram([join(folder, 'api.d.ts'), ...uses.keys().map(fileOf)], options);
  });
  after(() => rmSync(folder, { recursive: true }));

  const problemsOf = (file: string): string =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
      .join('\n');

  it('compiles', () => assert.equal(problemsOf(join(folder, 'api.d.ts')), ''));

  for (const [index, [use, problem]] of uses.entries())
    it(`${problem ? 'rejects' : 'accepts'} ${use.replaceAll(/\s+/g, ' ')}`, () => {
      if (problem) assert.match(problemsOf(fileOf(index)), problem);
      else assert.equal(problemsOf(fileOf(index)), '');
    });
});
