import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_nameConstraints,
  NameConstraints,
} from '@peculiar/asn1-x509';
import * as x509 from '@peculiar/x509';
import type { CertificatePair } from '../../http/connection/listen.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Returns a new private key (PKCS #8, PEM). */
export const makeKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

const importPair = async (
  key: string,
): Promise<{ privateKey: webcrypto.CryptoKey; publicKey: webcrypto.CryptoKey }> => {
  const spki = createPublicKey(createPrivateKey(key)).export({ format: 'der', type: 'spki' });
  const pkcs8 = createPrivateKey(key).export({ format: 'der', type: 'pkcs8' });
  return {
    privateKey: await webcrypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
    publicKey: await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify']),
  };
};

/** Positive, as serial numbers have to be. */
const serialNumber = (): string => `4${randomBytes(16).toString('hex').slice(1)}`;

type Contents = Omit<x509.X509CertificateCreateWithKeyParams, 'serialNumber' | 'signingAlgorithm'>;

/** Signs a certificate and returns it as PEM. */
const sign = async (contents: Contents): Promise<string> => {
  const parameters = { ...contents, serialNumber: serialNumber(), signingAlgorithm: algorithm };
  return `${(await x509.X509CertificateGenerator.create(parameters, webcrypto)).toString('pem')}\n`;
};

const subtree = (base: ConstructorParameters<typeof GeneralName>[0]) =>
  new GeneralSubtree({ base: new GeneralName(base) });

/**
 * Makes the certificate of an authority.
 * It can issue certificates for the domains, names below them and the loopback interface only.
 * @param key its private key (PEM)
 * @returns the certificate (PEM)
 */
export const makeAuthority = async (
  name: string,
  domains: readonly string[],
  key: string,
  [notBefore, notAfter]: readonly [Date, Date],
): Promise<string> => {
  const { privateKey, publicKey } = await importPair(key);
  const permitted = [
    ...domains.map(dNSName => subtree({ dNSName })),
    ...['127.0.0.0/8', '::1/128'].map(iPAddress => subtree({ iPAddress })),
  ];
  const constraints = new NameConstraints({ permittedSubtrees: new GeneralSubtrees(permitted) });
  return sign({
    subject: `CN=${name}`,
    issuer: `CN=${name}`,
    notBefore,
    notAfter,
    signingKey: privateKey,
    publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto),
      new x509.Extension(id_ce_nameConstraints, true, AsnConvert.serialize(constraints)),
    ],
  });
};

/** Issues a server's certificate for host names and IP addresses. */
export const issue = async (
  authority: CertificatePair,
  names: readonly string[],
  [notBefore, notAfter]: readonly [Date, Date],
): Promise<CertificatePair> => {
  const key = makeKey();
  const [{ publicKey }, { privateKey, publicKey: issuer }] = await Promise.all([
    importPair(key),
    importPair(authority.key),
  ]);
  const cert = await sign({
    subject: `CN=${names[0]}`,
    issuer: new x509.X509Certificate(authority.cert).subject,
    notBefore,
    notAfter,
    signingKey: privateKey,
    publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer, false, webcrypto),
      await x509.SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto),
      new x509.SubjectAlternativeNameExtension(
        names.map(value => ({ type: isIP(value) ? 'ip' : 'dns', value }) as const),
      ),
    ],
  });
  return { cert, key };
};
