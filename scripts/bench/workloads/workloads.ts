import { type BenchTenant, comparedTenants, listedTenant, type WantedTenant } from '../data.ts';
import { cursorAfter } from './cursors.ts';
import { fifteen, listingWorkloads } from './listings.ts';
import type { BenchRequest, Workload } from './workload.ts';

/** A number from 0 to below `end` that a number decides, and that looks like chance. */
const scatter = (n: number, end: number): number => {
  let mixed = Math.imul(n + 1, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32) * end);
};

/** The tenant that the n-th assignment of all belongs to: large ones come more often. */
const tenantOf = (n: number, tenants: readonly BenchTenant[]): BenchTenant => {
  let place = scatter(
    n,
    tenants.reduce((sum, { size }) => sum + size, 0),
  );
  const found = tenants.find(({ size }) => {
    place -= size;
    return place < 0;
  });
  return found ?? (tenants[0] as BenchTenant);
};

const get = (tenant: BenchTenant, path: string): BenchRequest => ({ tenant, method: 'GET', path });

/** A page of fifty assignments from anywhere. */
const page = (n: number, tenants: readonly BenchTenant[], more = ''): BenchRequest => {
  const tenant = tenantOf(n, tenants);
  return get(
    tenant,
    `/assignments?limit=50&cursor=${cursorAfter('assignments', scatter(n + 7, tenant.size - 60))}${more}`,
  );
};

const someOf = (tenant: BenchTenant, n: number): BenchRequest => {
  const rows = Math.min(5_000, tenant.size - 100);
  const from = scatter(n, tenant.size - rows);
  return get(tenant, `/assignments?id=>${from}&id=<${from + rows + 1}`);
};

/** The workloads that compare the server with the floors, by name, in the order in which they run. */
export const workloads: Readonly<Record<string, Workload>> = {
  read: {
    title: 'one assignment',
    requests: (n, tenants) => {
      const tenant = tenantOf(n, tenants);
      return [get(tenant, `/assignments/${tenant.assignments[scatter(n + 7, tenant.assignments.length)]}`)];
    },
    status: 200,
  },
  list50: { title: '50 assignments', requests: (n, tenants) => [page(n, tenants)], status: 200 },
  list50fields: {
    title: '50 assignments, 15 fields',
    requests: (n, tenants) => [page(n, tenants, `&fields=${fifteen}`)],
    status: 200,
  },
  embed: {
    title: '50 assignments with employee, client and work times',
    requests: (n, tenants) => [page(n, tenants, '&embed=employee,client,work-times')],
    status: 200,
  },
  list5k: {
    title: '5,000 assignments',
    requests: (n, tenants) => [someOf(tenants[scatter(n, Math.min(5, tenants.length))] as BenchTenant, n)],
    status: 200,
    connections: 2,
  },
  repeat: { title: 'the same 50 assignments', requests: (_, tenants) => [page(1, tenants)], status: 200 },
  notmod: {
    title: 'the same, not modified',
    requests: (_, tenants) => [page(1, tenants)],
    status: 304,
    conditional: true,
  },
  dynamic: {
    title: '50 clients with 10 dynamic fields',
    // All begin with the first client: most tenants have few.
    requests: (n, tenants) => [get(tenantOf(n, tenants), `/clients?limit=50&cursor=${cursorAfter('clients', -1 - n)}`)],
    status: 200,
  },
  create: {
    title: 'a new client',
    requests: (n, tenants) => [
      { tenant: tenantOf(n, tenants), method: 'POST', path: '/clients', body: { company: `Bench ${n}`, city: 'Köln' } },
    ],
    status: 201,
  },
  status: {
    title: 'an assignment confirmed, and taken back',
    requests: (n, tenants) => {
      const able = tenants.filter(({ changeable }) => changeable.length > 20);
      const tenant = tenantOf(n, able);
      const path = `/assignments/${tenant.changeable[n % tenant.changeable.length]}/status`;
      return [7, 6].map(status => ({ tenant, method: 'PUT', path, body: { status } }));
    },
    status: 200,
  },
  rejected: {
    title: 'a token with another signature',
    requests: (n, tenants) => {
      const request = page(n, tenants);
      const [header, claims] = request.tenant.token.split('.');
      const signature = Buffer.from(`${n}`.padStart(32, '-')).toString('base64url');
      return [{ ...request, token: `${header}.${claims}.${signature}` }];
    },
    status: 401,
  },
  unknown: {
    title: 'an unknown path',
    requests: (n, tenants) => [get(tenantOf(n, tenants), `/assignment/${n}`)],
    status: 404,
  },
  ...listingWorkloads,
  whole: {
    title: 'all assignments of all tenants',
    requests: (_, tenants) => tenants.map(tenant => get(tenant, '/assignments')),
    status: 200,
    connections: 1,
    together: true,
    rounds: 1,
  },
  idle: {
    title: 'one assignment after silence',
    requests: (n, tenants) => workloads.read?.requests(n, tenants) ?? [],
    status: 200,
    connections: 1,
    silence: 30,
    // A single request scatters.
    rounds: 9,
  },
};

/** Returns the tenants that workloads ask for. */
export const wantedBy = (names: readonly string[], short: boolean): readonly WantedTenant[] => {
  const isListed = names.map(name => workloads[name]?.listed === true);
  return [
    ...(isListed.includes(false) ? comparedTenants(short) : []),
    ...(isListed.includes(true) ? [listedTenant(short)] : []),
  ];
};
