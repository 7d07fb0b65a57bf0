import type { Mutation } from '../../scripts/mutate/mutation.ts';

const access = ['test/administration/access.test.ts'];

// The internal port, its page, the command line, and the pages of the API.
export default [
  {
    guarantee: 'The page of the administration serves no page of another site.',
    file: 'src/administration/api/admission.ts',
    find: "    if (site !== 'same-origin' && site !== 'none') throw forbidden('Pages of other sites are not served.');\n",
    replace: '    void site;\n',
    tests: access,
    names: 'a page of another site',
  },
  {
    guarantee: 'The administration has the names of this machine only.',
    file: 'src/administration/api/admission.ts',
    find: 'if (!loopbackName.test(name) && !(secure && isNamed(certificate, name)))',
    replace: 'if (name === "" && !(secure && isNamed(certificate, name)))',
    tests: access,
    names: 'is a name of this machine',
  },
  {
    guarantee: 'The administration is served over an open network with TLS only.',
    file: 'src/administration/api/admission.ts',
    find: "if (!secure && !isLoopback(address)) throw new ApiError('https_required');",
    replace: 'void isLoopback(address);',
    tests: access,
    names: 'needs TLS and a name',
  },
  {
    guarantee: 'An administration token that is revoked is rejected.',
    file: 'src/tenancy/administrators.ts',
    find: "  if (revokedAt) throw tokenError('token_revoked');\n",
    replace: '  void revokedAt;\n',
    tests: access,
    names: 'invalid once it has expired or is revoked',
  },
  {
    guarantee: 'An administration token is not stored.',
    file: 'src/tenancy/administrators.ts',
    find: "createHash('sha256').update(secret).digest('base64url')",
    replace: "(createHash('sha256'), secret)",
    tests: access,
    names: 'is stored as a hash',
  },
  {
    guarantee: 'Nothing is done that the log of the administration does not tell of.',
    file: 'src/tenancy/administration-log.ts',
    find: '  const { id } = await system\n',
    replace: '  if (act.operation !== "") return work();\n  const { id } = await system\n',
    tests: access,
    names: 'tells of each act',
  },
  {
    guarantee: 'The explorer asks its own server only.',
    file: 'src/http/documents/explorer/explorer.ts',
    find: `connectSrc: ["'self'"]`,
    replace: `connectSrc: ["'self'", 'https:']`,
    tests: ['test/http/documents/explorer.test.ts'],
    names: 'may load, run and ask',
  },
  {
    guarantee: 'A command that fails ends with 1.',
    file: 'src/cli/run.ts',
    find: '    return 1;\n  }\n};\n\nconst runHere',
    replace: '    return 0;\n  }\n};\n\nconst runHere',
    tests: ['test/cli/run.test.ts'],
    names: 'a failed command exits with 1',
  },
  {
    guarantee: 'An error is printed as JSON by a command that prints JSON.',
    file: 'src/cli/run.ts',
    find: 'terminal.note(isJson ? JSON.stringify({ error: message }) : `staffing: ',
    replace: 'terminal.note(isJson ? message : `staffing: ',
    tests: ['test/cli/run.test.ts'],
    names: 'a failed command exits with 1',
  },
] satisfies readonly Mutation[];
