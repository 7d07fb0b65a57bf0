import type { ApiChange } from './compare/finding.ts';

/** Returns the changelog of a version, in Markdown: its differences to the version published before. */
export const changelog = (version: string, published: string | null, findings: readonly ApiChange[]): string => {
  const list = (title: string, breaking: boolean): readonly string[] => {
    const lines = findings
      .filter(finding => finding.breaking === breaking)
      .map(({ where, what }) => `- ${where}: ${what}`);
    return lines.length > 0 ? [`## ${title}`, '', ...lines, ''] : [];
  };
  const difference = [...list('Breaking changes', true), ...list('Compatible changes', false)];
  const first =
    published === null ? 'The first published version.' : `No change since ${published} but for descriptions.`;
  return [
    `# ${version}${published === null ? '' : `, compared with ${published}`}`,
    '',
    ...(difference.length > 0 ? difference : [first, '']),
  ].join('\n');
};
