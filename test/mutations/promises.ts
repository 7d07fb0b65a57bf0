import type { Mutation } from '../../scripts/mutate/mutation.ts';

// Of what SECURITY.md promises: the guards that its commands need.
export default [
  {
    guarantee: 'What is read for one tenant is read in its own transaction.',
    file: 'src/db/open.ts',
    find: `    forTenant: (tenant, signal, origin = service, confirmation) =>
      tenantDb({ pool, tenant, timeouts, deadline, ids, origin, journals, signal, confirmation }),`,
    replace: `    forTenant: (tenant, signal, origin = service, confirmation) => {
      const first = Reflect.get(pool, 'first') ?? tenant;
      Reflect.set(pool, 'first', first);
      return tenantDb({ pool, tenant: first, timeouts, deadline, ids, origin, journals, signal, confirmation });
    },`,
    tests: ['test/contract/operations.test.ts'],
    names: 'for clients_read as if it had never existed',
  },
  {
    guarantee: 'A query of one tenant reads no table of all tenants.',
    file: 'src/db/binding/tenant-binding.ts',
    find: 'if (schema || shared.has(identifier.name)) throw',
    replace: 'if (schema) throw',
    tests: ['test/db/tenant-refusals.test.ts'],
  },
  {
    guarantee: 'Statements of a tenant run in the role that row security binds.',
    file: 'src/db/enter.ts',
    find: "takingRole = `set_config('role', ",
    replace: "takingRole = `set_config('app.role', ",
    tests: ['test/db/row-security.test.ts'],
    names: 'row security stands alone',
    database: 'postgres',
  },
  {
    guarantee: 'An operation needs the scope to read its resource.',
    file: 'src/http/checks.ts',
    find: 'if (missing !== undefined && !readsOwn) throw scopeMissing(missing);',
    replace: 'if (missing !== undefined && readsOwn) throw scopeMissing(missing);',
    tests: ['test/contract/scopes.test.ts'],
    names: 'are required by every operation',
  },
  {
    guarantee: 'The document of an API user has no member that is hidden from it.',
    file: 'src/http/documents/hide.ts',
    find: '  removeMembers(document, hidden);\n};',
    replace: '  void removeMembers;\n};',
    tests: ['test/contract/hidden/listings.test.ts'],
    names: 'the document of the user',
  },
  {
    guarantee: 'A request has one Authorization header.',
    file: 'src/http/request/negotiate.ts',
    find: '  if (inHeaders.length > 1)',
    replace: '  if (inHeaders.length > 2)',
    tests: ['test/http/hostile.test.ts'],
    names: 'two Authorization headers',
  },
  {
    guarantee: 'A query that is not percent-encoded UTF-8 is an error of its client.',
    file: 'src/http/request/query-string.ts',
    find: `  } catch {
    return null;
  }
};`,
    replace: `  } catch (error) {
    throw error;
  }
};`,
    tests: ['test/contract/fuzz.test.ts'],
  },
  {
    guarantee: 'The log has no queries.',
    file: 'src/http/request/log.ts',
    find: 'path: ctx.path.slice(0, 200)',
    replace: 'path: ctx.url.slice(0, 200)',
    tests: ['test/http/request/log.test.ts'],
    names: 'no token on any line',
  },
  {
    guarantee: 'A file that is not public needs a token, whoever knows its path.',
    file: 'src/resources/files/download.ts',
    find: ".where('visibility', '=', 'public')",
    replace: '',
    tests: ['test/resources/files/download.test.ts'],
    names: 'needs a token of the tenant',
  },
  {
    guarantee: 'A kept response is sent to nobody with less access.',
    file: 'src/http/operation/repeats.ts',
    find: 'JSON.stringify([id, hidden, scopes])',
    replace: 'String(id).slice(0, 0)',
    tests: ['test/http/operation/repeated-reads.test.ts'],
    names: 'no API user with less access',
  },
  {
    guarantee: 'No text of a request becomes a regular expression.',
    file: 'src/http/checks.ts',
    find: 'const invalid = (): ApiError =>',
    replace:
      'export const isLike = (host: string, text: string): boolean => new RegExp(text).test(host);\nconst invalid = (): ApiError =>',
    tests: ['test/regular-expressions.test.ts'],
    names: 'are made of no text',
  },
] satisfies readonly Mutation[];
