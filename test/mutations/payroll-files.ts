import type { Mutation } from '../../scripts/mutate/mutation.ts';

const exported = ['test/resources/payroll-exports/export.test.ts'];
const written = ['test/resources/payroll-exports/written.test.ts'];
const long = ['test/resources/payroll-exports/long.test.ts'];
const cells = ['test/domain/payroll/cell.test.ts'];

const formats = ['test/resources/payroll-formats/formats.test.ts'];

export default [
  {
    guarantee: 'A format is not deleted while a file is made with it.',
    file: 'src/domain/payroll/export.ts',
    find: "selectAll().where('id', '=', id).forKeyShare();",
    replace: "selectAll().where('id', '=', id);",
    tests: ['test/resources/payroll-exports/concurrency.test.ts'],
  },
  {
    guarantee: 'A file is only made of a pay run that is approved or paid.',
    file: 'src/domain/payroll/export.ts',
    find: 'if (run.state === OPEN)',
    replace: 'if (run.state === null)',
    tests: exported,
  },
  {
    guarantee: 'A pay run with an acknowledged export is not opened again.',
    file: 'src/resources/pay-runs/rules.ts',
    find: "    .where('acknowledged_on', 'is not', null)\n",
    replace: "    .where('acknowledged_on', 'is', null)\n",
    tests: exported,
  },
  {
    guarantee: 'The export of an open pay run is not acknowledged.',
    file: 'src/resources/payroll-exports/rules.ts',
    find: 'if (run?.status !== OPEN) return [];',
    replace: 'if (run) return [];',
    tests: exported,
  },
  {
    guarantee: 'A value that its map lacks is rejected.',
    file: 'src/domain/payroll/cell.ts',
    find: 'if (mapped === undefined) throw',
    replace: 'if (mapped === null) throw',
    tests: exported,
  },
  {
    guarantee: 'A line without a required value is rejected.',
    file: 'src/domain/payroll/file.ts',
    find: 'if (empty !== undefined) throw',
    replace: 'if (empty === null) throw',
    tests: exported,
  },
  {
    guarantee: 'A character that the encoding lacks is rejected, also in what fills a cell.',
    file: 'src/domain/payroll/cell.ts',
    find: 'if (!isEncodable(filled, format.encoding))',
    replace: 'if (!isEncodable(text, format.encoding))',
    tests: written,
  },
  {
    guarantee: 'A cell that needs quotes is rejected where the format has none.',
    file: 'src/domain/payroll/cell.ts',
    find: 'if (format.quote === null && format.delimiter !== null',
    replace: 'if (format.quote === undefined && format.delimiter !== null',
    tests: written,
  },
  {
    guarantee: 'Quotes within a quoted cell are doubled.',
    file: 'src/domain/payroll/cell.ts',
    find: 'cell.replaceAll(quote, quote + quote)',
    replace: 'cell',
    tests: written,
  },
  {
    guarantee: 'Only hours are converted.',
    file: 'src/domain/payroll/lines.ts',
    find: "sql<boolean>`unit = 'hour'`",
    replace: 'sql<boolean>`true`',
    tests: written,
  },
  {
    guarantee: 'Amounts of several currencies are never summed.',
    file: 'src/domain/payroll/lines.ts',
    find: "[...new Set([...groups, 'currency'])]",
    replace: '[...new Set(groups)]',
    tests: cells,
  },
  {
    guarantee: 'A file whose lines have errors is not kept.',
    file: 'src/domain/payroll/file.ts',
    find: '  if (errors.length > 0) throw validationFailed(errors);\n  yield encode(footer, encoding);',
    replace: '  yield encode(footer, encoding);',
    tests: exported,
  },
  {
    guarantee: 'An export that may have been committed keeps its file.',
    file: 'src/resources/payroll-exports/makeExport.ts',
    find: 'if (!isUncertain(error)) await made.discard();',
    replace: 'if (isUncertain) await made.discard();',
    tests: ['test/files/uncertain.test.ts'],
    names: 'leaves an export its file',
  },
  {
    guarantee: 'The lines of a long pay run are never in memory at once.',
    file: 'src/domain/payroll/file.ts',
    find: 'written.preview.push(...batch.slice(0, most - written.preview.length));',
    replace: 'written.preview.push(...batch);',
    tests: long,
  },
  {
    guarantee: 'The name of a file keeps what stands before the slashes of a date.',
    file: 'src/domain/payroll/export.ts',
    find: ".replaceAll(/[/\\\\]/g, '-')",
    replace: '',
    tests: written,
  },
  {
    guarantee: 'The file of an export is read only by those who may read exports and pay.',
    file: 'generated/resources.ts',
    find: "references: 'files', guardsReading: true,",
    replace: "references: 'files',",
    tests: ['test/resources/payroll-exports/access.test.ts'],
  },
  {
    guarantee: 'A format names only fields of lines.',
    file: 'src/domain/payroll/format.ts',
    find: 'value === undefined || rows.has(value) ? []',
    replace: 'value === undefined || rows.size > 0 ? []',
    tests: formats,
  },
  {
    guarantee: 'A format names only variables and fields of the pay run.',
    file: 'src/domain/payroll/format.ts',
    find: 'Object.hasOwn(variables ?? {}, name.trim()) || runNames.has(name.trim()) ? []',
    replace: 'name ? []',
    tests: formats,
  },
  {
    guarantee: 'The quote of a format is not its delimiter.',
    file: 'src/domain/payroll/format.ts',
    find: 'quote !== null && quote === delimiter',
    replace: 'quote === null && quote === delimiter',
    tests: formats,
  },
  {
    guarantee: 'A text that is longer than its cell is rejected.',
    file: 'src/domain/payroll/cell.ts',
    find: 'if (width !== undefined && length > width)',
    replace: 'if (width === 0 && length > width)',
    tests: exported,
  },
  {
    guarantee: 'What reads like a formula stays, but in preset csv.',
    file: 'src/domain/payroll/cell.ts',
    find: 'escape_formulas ? escapeFormula(text) : text',
    replace: 'escapeFormula(text)',
    tests: written,
  },
  {
    guarantee: 'A formula that begins with a signed number is escaped, too.',
    file: 'src/core/spreadsheet.ts',
    find: '[+-](?!\\d[\\d .,]*(?:[eE][+-]?\\d+)?$)',
    replace: '[+-](?!\\d)',
    tests: cells,
  },
  {
    guarantee: 'A preset guesses neither numbers nor keys.',
    file: 'src/resources/payroll-formats/applyPreset.ts',
    find: 'if (errors.length > 0) throw validationFailed(errors);',
    replace: 'void validationFailed;',
    tests: ['test/resources/payroll-formats/presets.test.ts'],
  },
] satisfies readonly Mutation[];
