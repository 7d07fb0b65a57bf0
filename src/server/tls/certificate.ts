import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { readIfPresent, replaceFile } from '../../core/disk/secret-file.ts';

/** The certificate of the HTTPS listener, as PEM strings. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** File of the self-signed certificate for clients in development; null: a configured one. */
  readonly path: string | null;
  /** The instant after which it is no longer valid. */
  readonly validTo: Date;
}

const day = 86_400_000;
/** Browsers reject certificates that are valid for more than 398 days. */
const lifetime = 397 * day;
const renewal = 30 * day;

/**
 * The configured certificate, or a self-signed one for development.
 * The latter is stored under `<dataDir>/tls` and renewed when it is about to expire or does not contain all `hosts`.
 * @param hosts host names to list individually, since clients reject wildcards below a single label such as `*.localhost`
 */
export const loadCertificate = async (
  config: {
    readonly tls: { readonly cert: string; readonly key: string } | null;
    readonly dataDir: string;
    readonly baseDomain: string;
  },
  hosts: readonly string[] = [],
  now: Date = new Date(),
): Promise<Certificate> => {
  if (config.tls) return { ...config.tls, path: null, validTo: validTo(config.tls.cert) };
  const names = [...new Set([config.baseDomain, `*.${config.baseDomain}`, 'localhost', '127.0.0.1', '::1', ...hosts])];
  const path = join(config.dataDir, 'tls', 'cert.pem');
  const keyPath = join(config.dataDir, 'tls', 'key.pem');
  const cert = readIfPresent(path);
  const key = readIfPresent(keyPath);
  if (cert && key && isUsable(cert, key, names, now)) return { cert, key, path, validTo: validTo(cert) };
  const made = await makeCertificate(names, now);
  replaceFile(keyPath, made.key);
  replaceFile(path, made.cert, 0o644);
  return { ...made, path, validTo: validTo(made.cert) };
};

const validTo = (cert: string): Date => new Date(new X509Certificate(cert).validTo);

const isUsable = (cert: string, key: string, names: readonly string[], now: Date): boolean => {
  try {
    const certificate = new X509Certificate(cert);
    const named = certificate.subjectAltName?.split(', ') ?? [];
    return (
      new Date(certificate.validTo).getTime() - now.getTime() > renewal &&
      names.every(name => (isIP(name) ? certificate.checkIP(name) : named.includes(`DNS:${name}`))) &&
      certificate.checkPrivateKey(createPrivateKey(key))
    );
  } catch {
    return false;
  }
};

const makeCertificate = async (names: readonly string[], now: Date): Promise<{ cert: string; key: string }> => {
  // Needed once a year, and for development only.
  const { generate } = await import('selfsigned');
  const { cert, private: key } = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    // Backdated by an hour for clients whose clocks are behind.
    notBeforeDate: new Date(now.getTime() - 3_600_000),
    notAfterDate: new Date(now.getTime() + lifetime),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map(name => (isIP(name) ? { type: 7 as const, ip: name } : { type: 2 as const, value: name })),
      },
    ],
  });
  return { cert, key };
};
