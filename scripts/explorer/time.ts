import { openBrowser } from './browser.ts';

const [url = 'https://demo.localhost:8443/api/v1/docs', text = 'List clients', count = '5'] = process.argv.slice(2);

/** Notes in the page when an operation is first shown, every task that blocked it, and each breach of its policy. */
const observe = `
  globalThis.seen = null; globalThis.tasks = []; globalThis.breaches = [];
  addEventListener('securitypolicyviolation', event => breaches.push(event.effectiveDirective));
  new PerformanceObserver(list => tasks.push(...list.getEntries().map(({ startTime, duration }) => startTime + duration))).observe({ type: 'longtask', buffered: true });
  new MutationObserver(() => {
    if (seen === null && document.body?.innerText.includes(${JSON.stringify(text)})) seen = performance.now();
  }).observe(document, { subtree: true, childList: true });
`;

/** Prints how long a page takes until it shows an operation and responds, what it transfers, and whom it asks. */
const browser = await openBrowser();
for (let run = 1; run <= Number(count); run++) {
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  const sent = new Map<string, number>();
  page.on('requestfinished', async request => sent.set(request.url(), (await request.sizes()).responseBodySize));
  await page.addInitScript(observe);
  await page.goto(url);
  await page.waitForFunction('seen !== null && performance.now() - Math.max(seen, ...tasks) > 1500', null, {
    timeout: 120_000,
  });
  const [usable, breaches] = await page.evaluate<[number, string[]]>('[Math.max(seen, ...tasks), breaches]');
  const bytes = [...sent.values()].reduce((sum, size) => sum + size, 0);
  const foreign = [...sent.keys()].filter(
    asked => new URL(asked).origin !== new URL(url).origin && !asked.startsWith('data:'),
  );
  console.log(
    `${Math.round(usable)} ms, ${bytes} bytes, ${sent.size} requests, ${foreign.length} to others, ${breaches.length} breaches`,
  );
  await page.close();
}
await browser.close();
