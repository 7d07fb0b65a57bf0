import { openBrowser } from './browser.ts';

const [url = 'https://demo.localhost:8443/api/v1/docs'] = process.argv.slice(2);
const folder = new URL('../../docs/images/', import.meta.url).pathname;

// Takes the README's pictures of the explorer, in light and dark: npm run screenshots -- [URL of the explorer of a running server]
const browser = await openBrowser();
for (const colorScheme of ['light', 'dark'] as const) {
  const page = await browser.newPage({ ignoreHTTPSErrors: true, colorScheme, viewport: { width: 1280, height: 760 } });
  page.setDefaultTimeout(120_000);
  await page.goto(`${url}#tag/clients/GET/clients`);
  await page.getByRole('button', { name: 'Test Request' }).first().waitFor();
  await page.locator(':text("Nordlicht Hotels GmbH"):visible').first().waitFor();
  await page.screenshot({ path: `${folder}explorer-${colorScheme}.png`, animations: 'disabled', caret: 'hide' });
  await page.close();
}
await browser.close();
