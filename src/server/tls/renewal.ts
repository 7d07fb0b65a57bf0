import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import type { CertificatePair } from '../../http/connection/listen.ts';
import type { Config } from '../config/config.ts';
import { describeFailure } from '../describe-failure.ts';

/** Milliseconds between two readings of the certificate's files. */
const interval = 60_000;

/**
 * Reads the files of the configured certificate every minute, and hands over changed ones.
 * They must belong together. Does nothing without a configured certificate.
 * @param every milliseconds between two readings; for tests
 * @returns the function that ends it
 */
export const followCertificate = (
  { tls }: Pick<Config, 'tls'>,
  certify: (certificate: CertificatePair) => void,
  log: Logger,
  every = interval,
): (() => void) => {
  if (!tls) return () => {};
  let last: CertificatePair = tls;
  let ended = false;
  const look = async (): Promise<void> => {
    const found = await readPair(tls.files).catch(error => {
      log.warn(`The certificate cannot be read, and the last one stays in use: ${describeFailure(error)}`);
      return null;
    });
    if (ended || !found || (found.cert === last.cert && found.key === last.key)) return;
    last = found;
    certify(found);
    log.info({ valid_to: new X509Certificate(found.cert).validTo }, 'the certificate has been renewed');
  };
  const timer = setInterval(() => void look(), every).unref();
  return () => {
    ended = true;
    clearInterval(timer);
  };
};

/**
 * Reads a certificate with its chain, and its key.
 * @throws Error if they do not belong together or a part is missing, as while the files are being written
 */
const readPair = async (files: CertificatePair): Promise<CertificatePair> => {
  const [cert, key] = await Promise.all([readFile(files.cert, 'utf8'), readFile(files.key, 'utf8')]);
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`${files.key} is not the key of ${files.cert}`);
  // Reads all certificates of the chain.
  createSecureContext({ cert, key });
  return { cert, key };
};
