/** The output of a command, as text or as JSON. */
export interface CommandOutput {
  /** Writes a line of the result. */
  readonly out: (line: string) => void;
  /** Writes a line about the result: what was done, what to do next, errors. */
  readonly note: (line: string) => void;
  readonly json: boolean;
}

/** Prints a value as JSON, or the given lines. */
export const print = (output: CommandOutput, value: object, lines: readonly string[]): void => {
  if (output.json) output.out(JSON.stringify(value, null, 2));
  else for (const line of lines) output.out(line);
};

/** Prints values as JSON, or as a table with these columns. */
export const printTable = <Row>(
  output: CommandOutput,
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): void => {
  const cells = rows.map(row => Object.values(columns).map(cell => cell(row)));
  print(output, rows, table(Object.keys(columns), cells));
};

/** The lines of a table with aligned columns, headings first. */
const table = (headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => {
  const all = [headings.map(heading => heading.toUpperCase()), ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)));
  return all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** An RFC 3339 instant shortened to the minute, in UTC; `-` for null. */
export const shortTime = (instant: string | null): string =>
  instant === null ? '-' : `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`;
