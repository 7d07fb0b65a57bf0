import type { X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { ApiError } from '../../core/errors.ts';
import type { InternalRequest } from '../../http/connection/internal/route.ts';

/** Rejects requests of other sites' pages, and those over an open network. @throws ApiError 403 */
export type AdmissionCheck = (request: InternalRequest) => void;

const loopbackName = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
/** Returns whether an IP address is one of this machine's own. */
export const isLoopback = (address: string): boolean => loopbackAddress.test(address);
const loopbackAddress = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const authority = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/;

const forbidden = (message: string): ApiError => new ApiError('forbidden', { message });

/**
 * Returns the check of requests to the administration API and its page.
 * Other sites could reach this port through a browser on this machine, also by a name of their own that resolves to it
 * (DNS rebinding): the Host header must be a name of this machine, or one of the certificate's.
 * Plain HTTP is accepted from this machine only.
 * @param certificate that of the internal port; null: it has none
 */
export const createAdmission =
  (certificate: X509Certificate | null): AdmissionCheck =>
  ({ rawHeaders, headers, address, secure }) => {
    if (!secure && !isLoopback(address)) throw new ApiError('https_required');
    const hosts = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
    const host = hosts.length === 1 ? (hosts[0] ?? '').toLowerCase() : '';
    const [, name = ''] = authority.exec(host) ?? [];
    if (!loopbackName.test(name) && !(secure && isNamed(certificate, name)))
      throw forbidden('The Host header does not name this server.');
    const { origin, 'sec-fetch-site': site = 'none' } = headers;
    if (origin !== undefined && origin.toLowerCase() !== `${secure ? 'https' : 'http'}://${host}`)
      throw forbidden('Pages of other sites are not served.');
    if (site !== 'same-origin' && site !== 'none') throw forbidden('Pages of other sites are not served.');
  };

/** Returns whether the certificate is for the name, or for the IP address. */
const isNamed = (certificate: X509Certificate | null, name: string): boolean => {
  if (!certificate || name === '') return false;
  const address = name.replaceAll(/[[\]]/g, '');
  return isIPv4(address) || name.startsWith('[')
    ? certificate.checkIP(address) !== undefined
    : certificate.checkHost(name) !== undefined;
};
