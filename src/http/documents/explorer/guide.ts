import { Marked, type Tokens } from 'marked';

/** A chapter of a guide in Markdown. */
interface Chapter {
  readonly title: string;
  readonly text: string;
}

/** Returns the chapters of a text in Markdown: each begins with a heading of the first level. */
export const chaptersOf = (markdown: string): readonly Chapter[] =>
  markdown
    .split(/^(?=# )/m)
    .filter(text => text.startsWith('# '))
    .map(text => ({ title: text.slice(2, text.indexOf('\n')).trim(), text }));

const idOf = (title: string): string => title.toLowerCase().replaceAll(/[^a-z]+/g, '-');

/** Returns the HTML of a text. Headings and the first row of each code can be linked to. */
const toHtml = (text: string): string => {
  const linked = new Set<string>();
  const tablerow = ({ text }: Tokens.TableRow): string => {
    const [, code] = /<td><code>([a-z_]+)<\/code><\/td>/.exec(text) ?? [];
    if (!code || linked.has(code)) return `<tr>\n${text}</tr>\n`;
    linked.add(code);
    return `<tr id="${code}">\n${text}</tr>\n`;
  };
  const markdown = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      tablerow,
    },
  });
  return markdown.parse(text, { async: false });
};

/** Returns a page of these chapters as HTML. `home` is the URL of the explorer, relative to the page's. */
export const chapterPage = (title: string, chapters: readonly Chapter[], home: string): string => {
  const contents = chapters.map(({ title }) => `<li><a href="#${idOf(title)}">${title}</a></li>`);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}: Staffing API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <nav>
      <a href="${home}">Explorer</a> <a href="guide.html">Guide</a> <a href="errors.html">Errors</a>
      ${chapters.length > 1 ? `<ul>${contents.join('')}</ul>` : ''}
    </nav>
    <main>
${toHtml(chapters.map(({ text }) => text).join('\n'))}
    </main>
  </body>
</html>
`;
};
