import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { readIfPresent, readOrMakeSecret, replaceFile } from '../../core/disk/secret-file.ts';
import type { Certificate, CertificatePair } from '../../http/connection/listen.ts';
import { slugOf } from '../../tenancy/names.ts';

type CertificateOptions = {
  readonly tls: CertificatePair | null;
  readonly dataDir: string;
  readonly baseDomain: string;
  readonly production: boolean;
};

const day = 86_400_000;
/** Milliseconds. Browsers reject servers' certificates that are valid for more than 398 days. */
const lifetimes = { authority: 3650 * day, server: 397 * day };
/** Milliseconds before the end of a certificate from which it is replaced. */
const renewal = 30 * day;
/** Number of host names whose certificates are kept in memory. */
const kept = 100;

/** Backdated by an hour for clients whose clocks are behind. */
const period = (now: Date, lifetime: number) =>
  [new Date(now.getTime() - 3_600_000), new Date(now.getTime() + lifetime)] as const;

/** What the certificate itself is for, whatever the tenants. */
const fixedNames = (baseDomain: string) => [...new Set([baseDomain, 'localhost', '127.0.0.1', '::1'])];

const isDirectlyBelow = (name: string, baseDomain: string): boolean => slugOf(name, baseDomain) !== null;

/** Returns whether the development authority issues a certificate for a host name, in lower case. */
export const isCovered = (name: string, baseDomain: string): boolean =>
  fixedNames(baseDomain).includes(name) || isDirectlyBelow(name, baseDomain);

/** The file of the development authority, which clients trust; null: there is none. */
export const authorityFile = ({ tls, dataDir, production }: Omit<CertificateOptions, 'baseDomain'>): string | null =>
  tls || production ? null : join(dataDir, 'tls', 'ca.pem');

/**
 * The configured certificate, or one for development.
 * That is issued by an authority under `<dataDir>/tls`, which stays until the base domain changes.
 * Each host name directly below the base domain is presented a certificate of its own, whether or not it is a tenant's.
 * @returns null in production without a configured certificate: a proxy terminates TLS
 */
export const loadCertificate = async (
  config: CertificateOptions,
  now: Date = new Date(),
): Promise<Certificate | null> => {
  const { tls, dataDir, baseDomain } = config;
  const file = authorityFile(config);
  if (file === null) return tls;
  const authority = await loadAuthority(file, baseDomain, now);
  const names = fixedNames(baseDomain);
  const path = (name: string) => join(dataDir, 'tls', name);
  const [cert, key] = [readIfPresent(path('cert.pem')), readIfPresent(path('key.pem'))];
  const contextFor = issueByName(authority, baseDomain);
  if (cert && key && isUsable({ cert, key }, now, own => isIssued(own, authority, names)))
    return { cert, key, contextFor };
  const { issue } = await import('./authority.ts');
  const made = await issue(authority, names, period(now, lifetimes.server));
  replaceFile(path('key.pem'), made.key);
  replaceFile(path('cert.pem'), made.cert, 0o644);
  return { ...made, contextFor };
};

/** Reads the authority of the base domain; makes it if there is none, or that of another domain. */
const loadAuthority = async (file: string, baseDomain: string, now: Date): Promise<CertificatePair> => {
  const name = `Development authority of ${baseDomain}`;
  const found = readIfPresent(file);
  const keyFile = join(file, '..', 'ca-key.pem');
  const foundKey = readIfPresent(keyFile);
  if (found && foundKey && isUsable({ cert: found, key: foundKey }, now, ({ subject }) => subject === `CN=${name}`))
    return { cert: found, key: foundKey };
  const { makeAuthority, makeKey } = await import('./authority.ts');
  const key = readOrMakeSecret(keyFile, makeKey);
  const domains = [...new Set([baseDomain, 'localhost'])];
  const cert = await makeAuthority(name, domains, key, period(now, lifetimes.authority));
  replaceFile(file, cert, 0o644);
  return { cert, key };
};

/** Whether a certificate is as it should be, and still for long, and belongs to the key. */
const isUsable = (
  { cert, key }: CertificatePair,
  now: Date,
  isRight: (certificate: X509Certificate) => boolean,
): boolean => {
  try {
    const certificate = new X509Certificate(cert);
    const isCurrent = new Date(certificate.validTo).getTime() - now.getTime() > renewal;
    return isRight(certificate) && isCurrent && certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
};

const isIssued = (certificate: X509Certificate, { cert }: CertificatePair, names: readonly string[]): boolean => {
  const issuer = new X509Certificate(cert);
  return (
    certificate.checkIssued(issuer) &&
    certificate.verify(issuer.publicKey) &&
    names.every(name => certificate.checkHost(name) ?? certificate.checkIP(name))
  );
};

/** Issues a certificate for each host name directly below the base domain when it is first asked for. */
const issueByName = (authority: CertificatePair, baseDomain: string) => {
  const contexts = new LRUCache<string, SecureContext>({
    max: kept,
    ttl: lifetimes.server - renewal,
    // One that is displaced while it is issued is presented all the same.
    ignoreFetchAbort: true,
    fetchMethod: async name => {
      const { issue } = await import('./authority.ts');
      return createSecureContext(await issue(authority, [name], period(new Date(), lifetimes.server)));
    },
  });
  return async (serverName: string): Promise<SecureContext | null> => {
    const name = serverName.toLowerCase();
    return isDirectlyBelow(name, baseDomain) ? ((await contexts.fetch(name)) ?? null) : null;
  };
};
