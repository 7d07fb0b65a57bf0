import { host, integer, text, type Variable } from '../variable.ts';

/** The variables of the network interfaces and ports. */
export const server = [
  {
    name: 'PORT',
    description: 'Port of the API (HTTPS).',
    default: '8443',
    example: '8443',
    ...integer(0, 65535),
  },
  {
    name: 'HOST',
    description: 'IP address or host name to listen on; without it all network interfaces.',
    example: '127.0.0.1',
    ...host,
  },
  {
    name: 'INTERNAL_PORT',
    description: 'Port of health checks, metrics and the administration, for the internal network only.',
    default: '9443',
    example: '9443',
    ...integer(0, 65535),
  },
  {
    name: 'INTERNAL_HOST',
    description:
      'IP address or host name that the internal port listens on. One that other machines reach needs TLS_CERT and TLS_KEY: then the administration is served over HTTPS only.',
    default: '127.0.0.1',
    example: '0.0.0.0',
    ...host,
  },
  {
    name: 'WORKERS',
    description:
      'Number of processes that serve the API, each with DATABASE_POOL connections; `auto`: one for each core. With the embedded database always 1.',
    default: '1',
    example: 'auto',
    schema: text('^(auto|[1-9][0-9]{0,2})$'),
    expected: 'an integer from 1 to 999, or auto',
  },
] as const satisfies readonly Variable[];
