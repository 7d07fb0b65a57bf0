import type { Mutation } from '../../scripts/mutate/mutation.ts';

const idempotency = ['test/contract/idempotency.test.ts'];

export default [
  {
    guarantee: 'A response is kept in the transaction of its write.',
    file: 'src/engine/idempotency.ts',
    find: `      await keep({ api_user_id: apiUser.id, hash, request, view, ...keptOf(reply) }, transaction);
    }`,
    replace: `      const kept = { api_user_id: apiUser.id, hash, request, view, ...keptOf(reply) };
      return { ...reply, followUp: () => db.transaction(later => keep(kept, later)) };
    }`,
    tests: idempotency,
    names: 'after a kill between commit and response',
    database: 'postgres',
  },
  {
    guarantee: 'A key that was used for another request is told so.',
    file: 'src/engine/idempotency.ts',
    find: 'if (known.request !== request) throw',
    replace: "if (known.request === '') throw",
    tests: idempotency,
    names: 'belongs to the address, its query and the body',
  },
  {
    guarantee: 'The key of an upload belongs to its bytes.',
    file: 'src/engine/idempotency.ts',
    find: '[call.content.digest, call.content.type, ',
    replace: '[call.content.type, ',
    tests: idempotency,
    names: 'of an upload belongs to its bytes',
  },
  {
    guarantee: 'A repeat of a request in progress is told so.',
    file: 'src/engine/idempotency.ts',
    find: "if (locked?.rows[0]?.[0] !== 't') throw",
    replace: 'if (locked === null) throw',
    tests: idempotency,
    names: '50 requests at once',
    database: 'postgres',
  },
  {
    guarantee: 'A failed request can be repeated with its key.',
    file: 'src/engine/idempotency.ts',
    find: `const reply = await handle(call, parts);
    if (reply.status >= 200 && reply.status < 300) {`,
    replace: `const body = { kind: 'value', name: 'error', value: null } as const;
    const reply = await handle(call, parts).catch(({ status }) => ({ status, headers: {}, body }));
    if (reply.status >= 200) {`,
    tests: idempotency,
    names: 'keeps successes only',
  },
  {
    guarantee: 'A response is kept for a day.',
    file: 'src/engine/idempotency.ts',
    find: "sql`interval '24 hours'`",
    replace: "sql`interval '48 hours'`",
    tests: idempotency,
    names: 'forgotten after a day',
  },
  {
    guarantee: 'A replayed response says that it is one.',
    file: 'src/engine/idempotency.ts',
    find: ", 'idempotency-replayed': 'true' }",
    replace: ' }',
    tests: idempotency,
    names: 'makes one record by clients_create',
  },
] satisfies readonly Mutation[];
