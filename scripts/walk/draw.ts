/** The folder below src/ of a call or a file; '' for a file of src/ itself. */
const folderOf = (call: string): string => call.slice(0, Math.max(0, call.indexOf('/')));

/** The files of a walk in the order of their first calls, grouped by folder. */
interface Visit {
  readonly folder: string;
  readonly files: string[];
}

const visitsOf = (files: readonly string[]): readonly Visit[] => {
  const visits: Visit[] = [];
  for (const file of files) {
    const folder = folderOf(file);
    const last = visits.at(-1);
    const name = file.slice(folder.length + 1);
    if (last?.folder === folder) last.files.push(name);
    else visits.push({ folder, files: [name] });
  }
  return visits;
};

/**
 * Returns a walk in Markdown: its files where they are first called.
 * @param calls each as `file function:line`
 */
export const draw = (name: string, what: string, calls: readonly string[]): string => {
  const files = [...new Set(calls.map(call => call.slice(0, call.indexOf(' '))))];
  const visits = visitsOf(files);
  const lines = visits.map(visit => `1. \`${visit.folder}/\` ${visit.files.join(', ')}`);
  return `### ${name}

${what} ${new Set(calls).size} functions in ${files.length} files; ${visits.length - 1} changes of folder, each file counted where it is first called.

${lines.join('\n')}
`;
};

const [begin, end] = ['<!-- walks: npm run walk -- --write -->', '<!-- end of walks -->'];

/**
 * Returns the text with the walks in place of those between its marks.
 * @throws Error if it has no marks
 */
export const replaceWalks = (text: string, walks: string): string => {
  const [first, last] = [text.indexOf(begin), text.indexOf(end)];
  if (first < 0 || last < first) throw new Error(`The text needs the marks "${begin}" and "${end}".`);
  return `${text.slice(0, first + begin.length)}\n\n${walks}\n${text.slice(last)}`;
};
