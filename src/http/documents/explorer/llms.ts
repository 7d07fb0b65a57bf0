import type { DocumentNode } from '../parts.ts';

/** Where the documents of an API are, as links of `llmsText`. */
export interface DocumentLinks {
  readonly guide: string;
  readonly json: string;
  readonly yaml: string;
  readonly explorer: string;
}

/** Returns llms.txt (llmstxt.org) of a document: the API, where its documents are, its resources. */
export const llmsText = (document: object, links: DocumentLinks): string => {
  const { info, tags = [] }: DocumentNode = document;
  const [summary = ''] = (info.description ?? '').split('\n\n');
  return [
    `# ${info.title} ${info.version}`,
    '',
    ...summary.split('\n').map((line: string) => `> ${line}`),
    '',
    '## Documents',
    '',
    `- [Guide](${links.guide}): authentication, filters, paging, writes, changes, webhooks and all error codes, in Markdown`,
    `- [OpenAPI document](${links.json}): all operations, schemas and examples, also as [YAML](${links.yaml})`,
    `- [Explorer](${links.explorer}): the same for a browser`,
    '',
    '## Resources',
    '',
    ...tags.map(({ name, description }: DocumentNode) => `- \`${name}\`: ${inOneLine(description ?? '')}`),
    '',
  ].join('\n');
};

const inOneLine = (text: string): string =>
  text
    .split('\n')
    .map(line => line.trim())
    .join(' ');
