import { findChannel } from '../../administration/channel.ts';
import { type Config, ConfigError, readConfig } from '../config/config.ts';
import type { Environment } from '../config/values.ts';
import {
  type CheckResult,
  checkCertificate,
  checkDatabase,
  checkFolder,
  checkKeys,
  checkNode,
  checkPort,
  checkRedis,
  checkS3,
} from './checks.ts';

export type { CheckResult } from './checks.ts';

/** Milliseconds to wait for the response of a server on the internal port. */
const TIMEOUT = 2000;

/** Returns whether a server of this installation responds on the internal port. */
const isRunning = async ({ dataDir, internalHost, internalPort }: Config): Promise<boolean> => {
  const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[internalHost] ?? internalHost;
  // On the embedded database, the server has written where it listens; that may be another port than that of this environment.
  const address = findChannel(dataDir)?.url ?? `http://${host}:${internalPort}`;
  try {
    const response = await fetch(new URL('/livez', address), { signal: AbortSignal.timeout(TIMEOUT) });
    const { status } = (await response.json()) as { readonly status?: string };
    return status === 'alive' || status === 'stuck';
  } catch {
    return false;
  }
};

/** Examines whether the service can run with an environment; changes nothing. */
export const examine = async (environment: Environment): Promise<readonly CheckResult[]> => {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [
      checkNode(),
      ...error.problems.map(detail => ({ check: 'configuration', result: 'fail', detail }) as const),
    ];
  }
  const running = await isRunning(config);
  return [
    checkNode(),
    { check: 'configuration', result: 'ok', detail: 'valid' },
    { check: 'server', result: 'ok', detail: running ? 'running' : 'not running' },
    checkFolder('data folder', config.dataDir),
    config.files.s3 ? await checkS3(config.files.s3) : checkFolder('files', config.files.folder),
    await checkPort('PORT', config.port, config.host, running),
    await checkPort('INTERNAL_PORT', config.internalPort, config.internalHost, running),
    checkCertificate(config),
    checkKeys(config),
    await checkDatabase(config, running),
    ...(config.redisUrl === null ? [] : [await checkRedis(config.redisUrl)]),
  ];
};
