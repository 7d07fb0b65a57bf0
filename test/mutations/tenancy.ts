import type { Mutation } from '../../scripts/mutate/mutation.ts';

const tokens = ['test/tenancy/tokens.test.ts'];
const presumption = ['test/tenancy/presumption.test.ts'];

export default [
  {
    guarantee: 'A caller is looked up in the role that row security binds.',
    file: 'src/tenancy/caller/caller.sql',
    find: `    perform set_config('role', 'staffing_tenant', true);\n`,
    replace: '',
    tests: ['test/tenancy/walls.test.ts'],
  },
  {
    guarantee: 'A token is looked up among those of the tenant of the host.',
    file: 'src/tenancy/caller/caller.sql',
    find: 'where t.tenant_id = caller.id and t.jti = token and t.api_user_id = api_user',
    replace: 'where t.jti = token and t.api_user_id = api_user',
    tests: ['test/tenancy/walls.test.ts'],
  },
  {
    guarantee: 'A token is valid for the tenant that it was issued for only.',
    file: 'src/tenancy/caller/callers.ts',
    find: 'readToken(credentials.token, tenant.slug)',
    replace: 'readToken(credentials.token, null)',
    tests: tokens,
  },
  {
    guarantee: 'A revoked token is rejected.',
    file: 'src/tenancy/caller/callers.ts',
    find: `if (revoked) throw tokenError('token_revoked');`,
    replace: '',
    tests: tokens,
  },
  {
    guarantee: 'A disabled tenant is rejected.',
    file: 'src/tenancy/caller/callers.ts',
    find: `if (!found.active) throw new ApiError('tenant_disabled');`,
    replace: '',
    tests: ['test/tenancy/tenants.test.ts'],
  },
  {
    guarantee: 'A new request of a sandbox looks its clock up itself.',
    file: 'src/tenancy/caller/callers.ts',
    find: 'const isOld = isNew && !isOwn && recent?.tenant.sandbox;',
    replace: 'const isOld = isNew && isOwn && recent?.tenant.sandbox;',
    tests: ['test/tenancy/tenants.test.ts'],
  },
  {
    guarantee: 'A sandbox is not presumed.',
    file: 'src/tenancy/caller/callers.ts',
    find: '!active || tenant.sandbox || revoked',
    replace: '!active || revoked',
    tests: presumption,
  },
  {
    guarantee: 'Results are recent for less than a second.',
    file: 'src/tenancy/caller/cache.ts',
    find: 'export const cacheTime = 900;',
    replace: 'export const cacheTime = 1_900;',
    tests: tokens,
  },
  {
    guarantee: 'A late confirmation does not replace a newer result.',
    file: 'src/tenancy/caller/cache.ts',
    find: 'this.#known.has(key) || this.#known.set(key, entry, { start })',
    replace: 'this.#known.set(key, entry, { start })',
    tests: tokens,
  },
  {
    guarantee: 'Failed look-ups are not cached.',
    file: 'src/tenancy/caller/cache.ts',
    find: 'entry.result.then(keep, () => this.#forget(key, entry));',
    replace: 'entry.result.then(keep, () => {});',
    tests: tokens,
  },
  {
    guarantee: 'A presumed caller is compared with the look-up.',
    file: 'src/tenancy/caller/presumption.ts',
    find: `now === this.#presumed?.last.found.text ? 'confirmed' : 'refuted'`,
    replace: `now === '' ? 'refuted' : 'confirmed'`,
    tests: presumption,
  },
  {
    guarantee: 'A request without a database read is confirmed by a look-up.',
    file: 'src/tenancy/caller/presumption.ts',
    find: 'isSilent ? null : this.confirm()',
    replace: 'null',
    tests: presumption,
  },
  {
    guarantee: 'A caller whom nothing has confirmed is not presumed again.',
    file: 'src/tenancy/caller/presumption.ts',
    find: 'this.#presumed?.last.forget();',
    replace: '',
    tests: presumption,
  },
  {
    guarantee: 'A request that begins anew keeps nothing of the presumed caller.',
    file: 'src/tenancy/caller/presumption.ts',
    find: '      undo();\n',
    replace: '',
    tests: presumption,
  },
  {
    guarantee: 'Requests that write presume nothing.',
    file: 'src/http/pipeline.ts',
    find: `const reads = wire.method === 'GET' || wire.method === 'HEAD';`,
    replace: 'const reads = wire.method !== null;',
    tests: presumption,
  },
] satisfies readonly Mutation[];
