/** Where a command writes, and whether for people or for programs. */
export interface Output {
  /** Lines of the answer. */
  readonly out: (line: string) => void;
  /** Lines about the answer: what was done, what to do next, errors. */
  readonly note: (line: string) => void;
  readonly json: boolean;
}

/** A value that `--json` prints. */
export type Printable = Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];

/** Prints a record as lines for people, or as JSON. */
export const print = (output: Output, value: Printable, lines: readonly string[]): void => {
  if (output.json) output.out(JSON.stringify(value, null, 2));
  else for (const line of lines) output.out(line);
};

/** Lines of a table, columns aligned, a heading first. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => {
  const all = [headings.map(heading => heading.toUpperCase()), ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)));
  return all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** An instant for people: UTC, to the minute. */
export const shortTime = (instant: string | null): string =>
  instant === null ? '-' : `${instant.slice(0, 10)} ${instant.slice(11, 16)}Z`;
