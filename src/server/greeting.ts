import { relative } from 'node:path';
import { root } from '../core/root.ts';

/** The data that a server prints when it has started. */
export interface Greeting {
  readonly version: string;
  readonly port: number;
  readonly internalPort: number;
  readonly database: 'postgres' | 'embedded';
  /** Migrations just applied. */
  readonly migrations: readonly string[];
  readonly dataDir: string;
  /** File of the development authority; null: there is none. */
  readonly authority: string | null;
  /** Whether there is no tenant. */
  readonly empty: boolean;
  /** The demo tenant's token and the date of its events; null: not created now. */
  readonly demo: { readonly token: string; readonly today: string } | null;
}

const examples = (address: string, authority: string | null, { token, today }: NonNullable<Greeting['demo']>) => {
  const curl = `curl -sS --compressed${authority === null ? '' : ` --cacert ${authority}`} -H 'Authorization: Bearer ${token}'`;
  return [
    `${curl} '${address}/events?start=%3E${today}&status=2&sort=start&fields=id,name,start,end,project.name&limit=5'`,
    `${curl} '${address}/assignments?status=7&sort=-event.start&embed=assignmentEmployee.firstname,assignmentEmployee.lastname&fields=id,status,event.name&limit=3'`,
    `${curl} -H 'Content-Type: application/json' -d '{"company":"Nordlicht Events","city":"Kiel"}' '${address}/clients'`,
  ];
};

/** A path relative to the working directory if it is below it, otherwise unchanged. */
const shortPath = (path: string): string => {
  const short = relative('', path);
  return short === '' || short.startsWith('..') ? path : short;
};

/** The lines to print once the server listens. */
export const greet = (greeting: Greeting): readonly string[] => {
  const { version, port, internalPort, database, migrations, dataDir, demo } = greeting;
  const address = `https://localhost:${port}${root}`;
  const authority = greeting.authority === null ? null : shortPath(greeting.authority);
  return [
    `Staffing API ${version} at ${address} (health at http://localhost:${internalPort}/livez and /readyz)`,
    `API explorer: ${address}/docs`,
    `Administration: http://localhost:${internalPort}/ (a token: npm run --silent staffing -- administration-token issue <name>)`,
    `Database: ${database === 'postgres' ? 'Postgres' : `embedded, in ${shortPath(dataDir)}`}${migrations.length > 0 ? `, ${migrations.length} migrations applied` : ''}`,
    ...(greeting.empty
      ? [
          'There is no tenant. One with sample data: npm run --silent staffing -- tenant create demo --sandbox --host localhost',
        ]
      : []),
    'A token: npm run --silent staffing -- token issue <tenant> <api user>',
    ...(demo === null
      ? []
      : [
          'Tenant "demo" with sample data. Its token, which cannot be shown again:',
          '',
          demo.token,
          '',
          'Try:',
          ...examples(address, authority, demo).flatMap(line => ['', line]),
          '',
        ]),
  ];
};
