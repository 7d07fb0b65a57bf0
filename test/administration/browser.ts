import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';

/** Those of the package are for functions in a cloud, with a single process. */
const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/** Starts a headless Chromium. @throws Error that says so if it can't be started here: no test may be left out for that */
export const startBrowser = async (): Promise<Browser> => {
  try {
    return await playwright.launch({ executablePath: await chromium.executablePath(), headless: true, args });
  } catch (cause) {
    throw new Error('Chromium cannot be started here: the administration page is not tested.', { cause });
  }
};
