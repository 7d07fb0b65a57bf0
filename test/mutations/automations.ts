import type { Mutation } from '../../scripts/mutate/mutation.ts';

const confirmed = ['test/automations/confirmed.test.ts'];
const disabled = ['test/automations/disabled.test.ts'];
const log = ['test/automations/log.test.ts'];
const retention = ['test/server/jobs/retention.test.ts'];
const copies = ['test/resources/employees/copies.test.ts'];
const clock = ['test/resources/sandbox/clock.test.ts'];
const administration = ['test/administration/contract.test.ts'];
const targets = ['test/automations/webhook.test.ts'];

export default [
  {
    guarantee: 'An automation that the administration writes needs the access of the API user that it names.',
    file: 'src/http/perform.ts',
    find: "apiUser: apiUser ?? { id: 0, name: 'administration', readOnly: false, ...unrestricted },",
    replace: "apiUser: { ...unrestricted, name: 'administration', readOnly: false, id: apiUser?.id ?? 0 },",
    tests: administration,
  },
  {
    guarantee: 'An unchanged automation is handed over only to an API user with the access that it needs.',
    file: 'src/domain/occurrences/act-for.ts',
    find: 'if (error) throw error;',
    replace: '',
    tests: administration,
  },
  {
    guarantee: 'A webhook of a record that no longer exists for its API user is not sent.',
    file: 'src/automations/payload.ts',
    find: 'reader.fields === fields ? data :',
    replace: 'data.position !== undefined ? data :',
    tests: ['test/automations/concealed.test.ts'],
    names: 'is a final attempt',
  },
  {
    guarantee: 'A webhook is sent only if what it was made for is still so.',
    file: 'src/automations/deliver.ts',
    find: 'if (!isDeepStrictEqual(await readAlone(delivery.id, db), delivery)) return null;',
    replace: '',
    tests: confirmed,
  },
  {
    guarantee: 'Deliveries of a disabled tenant are not claimed.',
    file: 'src/automations/claim.ts',
    find: 'and t.active)',
    replace: ')',
    tests: disabled,
  },
  {
    guarantee: 'What was claimed before its tenant was disabled is not sent.',
    file: 'src/tenancy/active-modules.sql',
    find: ' and active',
    replace: '',
    tests: disabled,
  },
  {
    guarantee: 'A scan triggers nothing for a tenant that is disabled.',
    file: 'src/domain/occurrences/time-based.ts',
    find: 'if (!own?.modules) return 0;',
    replace: '',
    tests: disabled,
  },
  {
    guarantee: 'Forgetting waits for copies that are being made.',
    file: 'src/engine/forget/forget.ts',
    find: 'findCopies(transaction);',
    replace: '',
    tests: copies,
    database: 'postgres',
  },
  {
    guarantee: 'A webhook is put into the inbox of a sandbox under the lock of copies.',
    file: 'src/automations/deliver.ts',
    find: '      keepCopies(transaction);\n',
    replace: '',
    tests: copies,
    database: 'postgres',
  },
  {
    guarantee: 'A response is kept under the lock of copies.',
    file: 'src/engine/idempotency.ts',
    find: '    keepCopies(transaction);\n',
    replace: '',
    tests: copies,
    database: 'postgres',
  },
  {
    guarantee: 'Results of imports are stored under the lock of copies.',
    file: 'src/imports/batch.ts',
    find: '    keepCopies(transaction);\n',
    replace: '',
    tests: copies,
    database: 'postgres',
  },
  {
    guarantee: 'The log of deliveries withholds what tells of resources that the reader cannot read.',
    file: 'src/core/resource/view.ts',
    find: 'if (cases.length + categories.size + marks.any.length + marks.others.length === 0) return field;',
    replace: 'if (cases.length >= 0) return field;',
    tests: log,
  },
  {
    guarantee: 'Of a withheld change its position is kept.',
    file: 'src/query/statement.ts',
    find: 'keeps === undefined\n',
    replace: 'keeps !== null\n',
    tests: log,
  },
  {
    guarantee: 'Entries of a journal that nobody follows are numbered before they are removed.',
    file: 'src/server/jobs/retention.ts',
    find: 'await numberEntries(database.forTenant(tenant));',
    replace: '',
    tests: retention,
  },
  {
    guarantee: 'What cannot be removed of one tenant keeps nothing of others.',
    file: 'src/tenancy/each-tenant.ts',
    find: 'await work(entry).catch(error => failed(error, entry.tenant));',
    replace: 'await work(entry);',
    tests: retention,
    names: 'although each rule fails',
  },
  {
    guarantee: 'What cannot be removed by one rule keeps nothing of others.',
    file: 'src/server/jobs/retention.ts',
    find: '      run.failed(error);\n',
    replace: '      if (run) throw error;\n',
    tests: retention,
    names: 'although each rule fails',
  },
  {
    guarantee: 'A batch that is full is followed by another.',
    file: 'src/server/jobs/retention.ts',
    find: 'rows === BATCH && run',
    replace: 'rows === -1 && run',
    tests: retention,
  },
  {
    guarantee: 'What is due in one second in a sandbox is sent in the order in which it was added.',
    file: 'src/automations/sandbox/clock.ts',
    find: "    .orderBy('sequence')\n",
    replace: "    .orderBy('id')\n",
    tests: clock,
  },
  {
    guarantee: 'The inbox of a sandbox is listed in the order in which it was filled.',
    file: 'src/resources/sandbox/listInbox.ts',
    find: "    .orderBy('sequence')\n",
    replace: "    .orderBy('id')\n",
    tests: clock,
  },
  {
    guarantee: 'A first attempt is followed by the next of its lane.',
    file: 'src/automations/settle.ts',
    find: 'attempt === 0 && lane !== null',
    replace: 'attempt === 1 && lane !== null',
    tests: ['test/automations/changes.test.ts'],
  },
  {
    guarantee: 'Metadata services of clouds in public networks are no targets.',
    file: 'src/automations/target.ts',
    find: 'if (cloudServices.has(parsed.toString())) return false;',
    replace: '',
    tests: targets,
  },
  {
    guarantee: 'A host name is refused if one of its addresses is.',
    file: 'src/automations/target.ts',
    find: '!addresses.every(',
    replace: '!addresses.some(',
    tests: targets,
  },
  {
    guarantee: 'An address in a URL is checked.',
    file: 'src/automations/target.ts',
    find: "if (isIP(literal) > 0 && !isAllowed(literal)) throw new TargetError('target_refused');",
    replace: '',
    tests: targets,
  },
  {
    guarantee: 'A refused target is not tried again.',
    file: 'src/automations/deliver.ts',
    find: "error === 'target_refused' || ",
    replace: '',
    tests: ['test/automations/retries.test.ts'],
  },
  {
    guarantee: 'The migration of deliveries keeps their order.',
    file: 'src/db/migrations/0027-deliveries.sql',
    find: 'and r.sequence <> place.sequence',
    replace: 'and false',
    tests: ['test/db/migrations/deliveries.test.ts'],
    database: 'postgres',
  },
  {
    guarantee: 'A trigger without what it sends is reported.',
    file: 'scripts/generate/checks/automations.ts',
    find: 'if (!names) report',
    replace: 'if (names === null) report',
    tests: ['test/scripts/generate/checks/checks.test.ts'],
    names: 'a trigger without what it sends',
  },
  {
    guarantee: 'A webhook follows no redirect.',
    file: 'src/automations/webhook.ts',
    find: ".on('response', response => settle(response, resolve, reject))",
    replace: `.on('response', response => {
        const { location } = response.headers;
        if (location) resolve(post(new URL(location, url), message, lookup, signal));
        else settle(response, resolve, reject);
      })`,
    tests: ['test/automations/webhook.test.ts'],
    names: 'not by a redirect',
  },
  {
    guarantee: 'A webhook is sent to the address that was checked.',
    file: 'src/automations/webhook.ts',
    find: 'agent: false, lookup: lookup as never, signal',
    replace: 'agent: false, signal',
    tests: ['test/automations/webhook.test.ts'],
    names: 'it is looked up once',
  },
  {
    guarantee: 'A webhook is sent over HTTPS, unless HTTP is allowed.',
    file: 'src/automations/target.ts',
    find: "if (protocol !== 'https:' && !(http && protocol === 'http:')) throw",
    replace: "if (protocol !== 'https:' && protocol !== 'http:') throw",
    tests: ['test/automations/webhook.test.ts'],
    names: 'over plain HTTP',
  },
] satisfies readonly Mutation[];
