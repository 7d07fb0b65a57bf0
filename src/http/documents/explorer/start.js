// Runs in the browser: shows the document that the page names in Scalar's API reference.

// Zod, which the reference is built with, tries eval unless told not to; the page's policy forbids it.
globalThis.__zod_globalConfig = { jitless: true };

const explorer = document.getElementById('explorer');
const url = new URL(explorer.dataset.document, document.baseURI).href;

const [{ createApiReference }, content] = await Promise.all([
  import('./scalar/standalone.esm.js'),
  fetch(url).then(response => response.json()),
]);

const methods = ['get', 'put', 'post', 'delete'];

/** Fills in the parameters of requests to try: a page of ten; other optional ones are not sent. */
const prepare = parameter => {
  const { in: place, name, required, schema } = parameter;
  if (!place || required) return;
  if (place === 'query' && name === 'limit') parameter.examples = { default: { value: 10 } };
  else if (schema?.examples) parameter.examples = { default: { value: schema.examples[0], 'x-disabled': true } };
  if (schema?.examples) parameter.schema = { ...schema, examples: undefined };
};

/** Has the snippet for curl say `--compressed`, without which it prints the bytes of gzip. A browser sends its own. */
const encoding = {
  name: 'Accept-Encoding',
  in: 'header',
  description: 'Responses are compressed unless it excludes gzip.',
  schema: { type: 'string' },
  examples: { default: { value: 'gzip' } },
};

for (const parameter of Object.values(content.components.parameters)) prepare(parameter);
for (const item of Object.values(content.paths)) {
  item.parameters?.forEach(prepare);
  item.parameters = [...(item.parameters ?? []), encoding];
  for (const method of methods) item[method]?.parameters?.forEach(prepare);
}

content.info.description = `[Guide](docs/guide.html) · [Error codes](docs/errors.html) · [OpenAPI document](${url})

${content.info.description}`;

createApiReference(explorer, {
  content,
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  hideModels: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  customCss: `
    .markdown table { display: block !important; overflow-x: auto; }
    .t-doc__sidebar > :last-child { position: relative; background: var(--scalar-sidebar-background-1); }
    .markdown td code { white-space: nowrap; }
    :has(> button [data-testid='auth-indicator']) > button + div { display: none !important; }
    .scalar-toaster { max-width: calc(100vw - 2rem); }
    section:focus-visible { outline: none; }
  `,
});
