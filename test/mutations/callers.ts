import type { Mutation } from '../../scripts/mutate/mutation.ts';

// Who calls, over which connection, by which host and how often.
const negotiation = ['test/http/request/negotiate.test.ts'];
const proxies = ['test/http/request/proxy.test.ts'];
const hosts = ['test/http/request/host.test.ts'];

export default [
  {
    guarantee: 'A read-only API user writes nothing.',
    file: 'src/http/checks.ts',
    find: 'if (apiUser.readOnly || ',
    replace: 'if (',
    tests: ['test/http/way.test.ts'],
    names: 'rejects all writes of a read-only user',
  },
  {
    guarantee: 'The body of a read-only API user is not read.',
    file: 'src/http/pipeline.ts',
    find: '      permit(principal, match, request);\n      requireInUse(operation);',
    replace: `      if (operation.takes === 'json') await readBody(req, limits, false);
      permit(principal, match, request);
      requireInUse(operation);`,
    tests: ['test/http/operation/order.test.ts'],
    names: 'the read-only user before the body',
  },
  {
    guarantee: 'The token in a URL belongs to GET requests.',
    file: 'src/http/request/negotiate.ts',
    find: "if (!valid || method !== 'GET' || ",
    replace: 'if (!valid || ',
    tests: negotiation,
  },
  {
    guarantee: 'Links have no token.',
    file: 'src/http/request/negotiate.ts',
    find: "new Set(['authorization_bearer', '_'])",
    replace: "new Set(['_'])",
    tests: negotiation,
  },
  {
    guarantee: 'A token is sent in the header or in the URL, not in both.',
    file: 'src/http/request/negotiate.ts',
    find: 'if (inUrl === null || inHeaders.length === 0) return null;',
    replace: 'if (inUrl === null || inHeaders.length >= 0) return null;',
    tests: negotiation,
  },
  {
    guarantee: 'A response to a URL with a token is not stored.',
    file: 'src/http/response/send.ts',
    find: "    ...(hasQueryToken && { 'cache-control': 'private, no-store' }),\n",
    replace: '',
    tests: ['test/http/response/envelope.test.ts'],
  },
  {
    guarantee: 'A method override is sent with POST.',
    file: 'src/http/request/negotiate.ts',
    find: "if (method === 'POST' && (wanted === ",
    replace: "if (method !== 'GET' && (wanted === ",
    tests: negotiation,
  },
  {
    guarantee: 'A method override is PUT or DELETE.',
    file: 'src/http/request/negotiate.ts',
    find: "wanted === 'PUT' || wanted === 'DELETE'",
    replace: "wanted === 'PUT' || wanted === 'PATCH' || wanted === 'DELETE'",
    tests: negotiation,
  },
  {
    guarantee: 'A request has one Host header.',
    file: 'src/http/checks.ts',
    find: 'others.length === 0 ?',
    replace: 'others.length >= 0 ?',
    tests: hosts,
  },
  {
    guarantee: 'The host of a URL is that of the Host header.',
    file: 'src/http/checks.ts',
    find: 'if (!host || (authority !== undefined && parseHost(authority)?.authority !== host.authority)) throw',
    replace: 'if (!host || authority === null) throw',
    tests: hosts,
  },
  {
    guarantee: 'A host has a name and a port, and no user.',
    file: 'src/tenancy/names.ts',
    find: 'const hostPattern = new RegExp(`^(',
    replace: 'const hostPattern = new RegExp(`^(?:[^@]*@)?(',
    tests: hosts,
  },
  {
    guarantee: 'Plain HTTP is rejected.',
    file: 'src/http/pipeline.ts',
    find: '    requireHttps(proxies, req);\n',
    replace: '    void [requireHttps, proxies];\n',
    tests: proxies,
  },
  {
    guarantee: 'Whether a request came over HTTPS is told by trusted proxies only.',
    file: 'src/http/request/proxy.ts',
    find: "if (forwarded !== undefined && trusts(socket.remoteAddress ?? '', 0)) return",
    replace: 'if (forwarded !== undefined && socket) return',
    tests: proxies,
  },
  {
    guarantee: 'The address of a client is the nearest that is no trusted proxy.',
    file: 'src/http/request/proxy.ts',
    find: 'normalize(proxyAddr(request, trusts))',
    replace: "normalize(proxyAddr.all(request).at(-1) ?? '')",
    tests: proxies,
  },
  {
    guarantee: 'All tokens of an API user share its limit.',
    file: 'src/http/request/rate-limit.ts',
    find: `async countUser({ state, res }, { tenant, apiUser }) {
      const key = \`user:\${tenant.id}:\${apiUser.id}\`;`,
    replace: `async countUser({ state, res }, { tenant, apiUser, tokenId }) {
      const key = \`user:\${tenant.id}:\${apiUser.id}:\${tokenId}\`;`,
    tests: ['test/http/request/rate-limit.test.ts'],
    names: 'exactly the allowed requests',
  },
  {
    guarantee: 'An IPv6 client is known by its network.',
    file: 'src/http/request/rate-limit.ts',
    find: "if (!address.includes(':')) return address;",
    replace: 'return address;',
    tests: ['test/http/request/quota.test.ts'],
    names: 'networkOf',
  },
  {
    guarantee: 'Requests without a valid token are counted by address.',
    file: 'src/http/checks.ts',
    find: 'if (error instanceof ApiError && error.status === 401) await rates.countAddress(state);',
    replace: 'void [ApiError, rates, state];',
    tests: ['test/http/request/rate-limit.test.ts'],
    names: 'failed authentication',
  },
  {
    guarantee: 'Requests that are rejected before their token is read are counted by address.',
    file: 'src/http/request/rate-limit.ts',
    find: "status >= 400 && !state.counted ? 'consume' : 'get'",
    replace: "status < 0 && !state.counted ? 'consume' : 'get'",
    tests: ['test/http/request/rate-limit.test.ts'],
    names: 'rejected before the token',
  },
  {
    guarantee: 'Every response has the headers of the rate limit.',
    file: 'src/http/pipeline.ts',
    find: '...(await rates.headersFor(state, reply.status)),',
    replace: '...(reply.status < 400 && (await rates.headersFor(state, reply.status))),',
    tests: ['test/server/app.test.ts'],
    names: 'with 404',
  },
  {
    guarantee: 'A request beyond the limit is told when to come again.',
    file: 'src/http/request/rate-limit.ts',
    find: "{ headers: { 'Retry-After': String(Math.max(1, quota.reset)) } }",
    replace: '{ headers: {} }',
    tests: ['test/http/request/rate-limit.test.ts'],
    names: 'exactly the allowed requests',
  },
  {
    guarantee: 'While the store of counts fails, requests are served.',
    file: 'src/http/request/rate-limit.ts',
    find: "'The rate-limit store failed.');\n",
    replace: "'The rate-limit store failed.');\n      throw error;\n",
    tests: ['test/http/request/rate-limit.test.ts'],
    names: 'its store fails',
  },
  {
    guarantee: 'A clock that is set back does not extend the period of a limit.',
    file: 'src/http/request/rate-limit.ts',
    find: 'Math.min(period, Math.max(0, ',
    replace: 'Math.min(Infinity, Math.max(0, ',
    tests: ['test/http/request/quota.test.ts'],
  },
  {
    guarantee: 'An API user has a limited number of requests in progress.',
    file: 'src/http/request/rate-limit.ts',
    find: 'if (others >= concurrency)',
    replace: 'if (others > concurrency)',
    tests: ['test/http/request/concurrency.test.ts'],
    names: 'are 20 at most',
  },
] satisfies readonly Mutation[];
