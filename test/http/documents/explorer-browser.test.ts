import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { generate } from 'selfsigned';
import { catalogue, fieldCatalogue } from '../../../generated/errors.ts';
import { openBrowser } from '../../../scripts/explorer/browser.ts';
import type { Database } from '../../../src/db/open.ts';
import { type App, type Client, startApp } from '../../support/app.ts';
import { ownDatabase } from '../../support/database.ts';

// The package of the browser has a build for x64 only.
const skip = process.arch !== 'x64';

describe('the explorer in a browser', { skip }, () => {
  let database: Database;
  let app: App;
  let client: Client;
  let browser: Browser;

  before(async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }]);
    database = await ownDatabase();
    app = await startApp(database, { tls: { cert, key } });
    client = await app.newClient();
    for (let n = 1; n <= 12; n++) await client.call('POST', '/clients', { body: { company: `Company ${n}` } });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await app?.close();
    await database?.close();
  });

  /**
   * Declares tests of a page of the explorer, which is opened once for them: they run one after the other. Each checks that the page
   * has asked only this server and broken no rule.
   */
  const onPage = (
    path: string,
    tests: Readonly<Record<string, (page: Page) => Promise<void>>>,
    options: BrowserContextOptions = {},
  ): void => {
    void describe(path === '' ? 'without a path' : `at ${path}`, () => {
      let context: BrowserContext;
      let page: Page;
      const foreign: string[] = [];
      const wrong: string[] = [];
      before(async () => {
        const origin = `https://${client.tenant.slug}.test:${app.port}`;
        context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
        page = await context.newPage();
        page.setDefaultTimeout(60_000);
        page.on('request', request => {
          if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) foreign.push(request.url());
        });
        page.on('pageerror', error => wrong.push(error.message));
        page.on('console', message => message.type() === 'error' && wrong.push(message.text()));
        await page.exposeFunction('violated', (rule: string) => wrong.push(rule));
        await page.addInitScript(
          "addEventListener('securitypolicyviolation', event => violated(event.effectiveDirective + ' ' + event.blockedURI))",
        );
        await page.goto(`${origin}/api/v1/docs${path}`);
      });
      after(() => context?.close());
      for (const [name, use] of Object.entries(tests))
        it(name, async () => {
          await use(page);
          assert.deepEqual({ foreign, wrong }, { foreign: [], wrong: [] });
        });
    });
  };

  const operation = (page: Page, title: string) => page.getByRole('link', { name: title }).first();

  onPage(
    '',
    {
      'shows no entry of the side bar through the label below it': async page => {
        const label = page.getByText('Powered by Scalar').first();
        await label.waitFor();
        const box = await label.boundingBox();
        assert.ok(box);
        const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        // The entries below the label: none is seen where an opaque element is above them.
        const opaque = await page.evaluate<boolean>(`(() => {
          for (const element of document.elementsFromPoint(${x}, ${y})) {
            if (element.closest('li')) return false;
            if (getComputedStyle(element).backgroundColor.startsWith('rgb(')) return true;
          }
          return false;
        })()`);
        assert.ok(opaque);
      },

      'cuts off no label of the authentication, which has one type': async page => {
        await page.getByTestId('auth-indicator').first().waitFor();
        const widths = await page.evaluate<number[]>(`(() => {
          const header = document.querySelector('[data-testid="auth-indicator"]').closest('button');
          return [header.scrollWidth, header.clientWidth];
        })()`);
        assert.equal(widths[0], widths[1]);
      },

      'finds an operation by words of its summary, description, path and tag': async page => {
        await operation(page, 'List clients').waitFor();
        for (const [words, title] of [
          ['gaps', 'List gaps'],
          ['best candidates first', 'List candidates'],
          ['clients/external', 'Read a client by external id'],
          ['work-time-proposals', 'List work time proposals'],
          ['confirm assignment', "Change an assignment's status"],
          ['cancel assignment', "Change an assignment's status"],
        ] as const) {
          await page.keyboard.press('Control+k');
          await page.getByRole('combobox').fill(words);
          await page.getByRole('option').filter({ hasText: title }).first().click();
          await page.getByRole('heading', { name: title, exact: true }).first().waitFor();
        }
      },
    },
    { viewport: { width: 1280, height: 800 } },
  );

  onPage('#tag/clients/DELETE/clients/{id}', {
    'says what replaces a deprecated operation': async page => {
      await page.getByText('Update the client with status 2 instead.').first().waitFor();
    },
  });

  for (const path of ['#tag/clients/GET/clients', '/guide.html', '/errors.html'])
    onPage(
      path,
      {
        [`fits a width of 390 pixels without scrolling sideways: ${path}`]: async page => {
          await page.getByRole('heading').first().waitFor();
          await page.waitForLoadState('networkidle');
          const widths = () =>
            page.evaluate<number[]>('[document.documentElement.scrollWidth, document.body.scrollWidth]');
          assert.deepEqual(await widths(), [390, 390]);
        },
      },
      { viewport: { width: 390, height: 800 } },
    );

  onPage('#tag/clients/GET/clients', {
    'has snippets for curl that print what is compressed': async page => {
      await page
        .locator('pre', { hasText: /^curl \S*clients\?limit=10[\s\S]*--compressed/ })
        .first()
        .waitFor();
    },

    'sends a request with limit=10 and no other parameter, and shows the response': async page => {
      await page.getByRole('button', { name: 'Test Request' }).first().click();
      await page.getByRole('dialog').getByText('Bearer Token').first().click();
      await page.keyboard.insertText(client.token);
      const [response] = await Promise.all([
        page.waitForResponse(response => response.url().includes('/api/v1/clients')),
        page.keyboard.press('Control+Enter'),
      ]);
      assert.equal(new URL(response.url()).search, '?limit=10');
      assert.equal((await response.json()).length, 10);
      await page.locator('.cm-content', { hasText: '"company": "Company 1"' }).first().waitFor();
    },
  });

  onPage('/errors.html', {
    'has each error code with its status and meaning on a page': async page => {
      for (const [code, { status, message }] of Object.entries(catalogue)) {
        const cells = await page.locator(`tr#${code} td`).allTextContents();
        assert.deepEqual(cells.slice(0, 3), [String(status), code, message.replaceAll('`', '')], code);
      }
      for (const code of Object.keys(fieldCatalogue))
        assert.ok(await page.locator(`tr:has(code:text-is("${code}"))`).count(), code);
    },
  });

  onPage('/guide.html', {
    'has the guide on a page, chapter by chapter': async page => {
      for (const chapter of ['Filters', 'Embeds', 'Paging', 'Changes', 'Files', 'Webhooks', 'Limits', 'Versions']) {
        await page.getByRole('link', { name: chapter, exact: true }).click();
        assert.ok(await page.getByRole('heading', { name: chapter, exact: true }).isVisible(), chapter);
      }
      assert.ok((await page.locator('h1#filters ~ table').first().locator('tr').count()) > 5);
      await page.getByRole('link', { name: 'Explorer' }).click();
      await operation(page, 'List clients').waitFor();
    },
  });

  onPage(
    '',
    {
      'is dark where the system is, and in the light on request': async page => {
        await operation(page, 'List clients').waitFor();
        const brightness = () =>
          page.evaluate<number>('Number(/\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0])');
        assert.ok((await brightness()) < 50);
        await page.getByRole('button', { name: /light mode/i }).click();
        assert.ok((await brightness()) > 200);
      },
    },
    { colorScheme: 'dark' },
  );
});
