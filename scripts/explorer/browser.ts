import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Hosts of tenants in tests and demos, which no name server knows. */
const hosts = 'MAP *.test 127.0.0.1, MAP *.localhost 127.0.0.1';

/**
 * Starts a headless Chromium from packages alone.
 * It has its own libraries and, where the machine has none, fonts.
 */
export const openBrowser = (): Promise<Browser> => {
  const folder = unpack();
  const fonts = existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(folder, 'fonts') };
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', `--host-resolver-rules=${hosts}`],
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023/lib'), ...fonts },
  });
};

/**
 * Returns the folder with Chromium's files, which are unpacked once.
 * They are unpacked beside it first, so that no process finds a part of them.
 */
const unpack = (): string => {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const folder = join(tmpdir(), `chromium-${devDependencies['@sparticuz/chromium']}`);
  if (existsSync(folder)) return folder;
  const own = mkdtempSync(`${folder}-`);
  // The package unpacks into the temporary folder, and its libraries only where it believes itself to be in AWS Lambda.
  const env = { ...process.env, TMPDIR: own, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' };
  const code = "await (await import('@sparticuz/chromium')).default.executablePath()";
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: import.meta.dirname, env });
  try {
    renameSync(own, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(own, { recursive: true });
  }
  return folder;
};
