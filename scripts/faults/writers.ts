import { setTimeout as pause } from 'node:timers/promises';
import { PayRuns, paid_on, period } from '../../test/domain/pay/scene.ts';
import type { Client } from '../../test/support/app.ts';
import type { AcknowledgedWrite, WriteLedger } from './ledger.ts';

/** A client who writes things of one kind, one after the other. */
export interface FaultWriter {
  readonly kind: string;
  /** Writes something, and resolves when it is acknowledged. */
  turn(ledger: WriteLedger): Promise<void>;
  /** Returns how what is there differs from what was acknowledged. */
  check(ledger: WriteLedger): Promise<readonly string[]>;
}

/** Parses a body: of a record that has at least its id, unless the type is given. */
const bodyOf = <Body = { readonly id: number }>({ bytes }: { readonly bytes: Buffer }): Body =>
  JSON.parse(bytes.toString());

const writesOf = (ledger: WriteLedger, kind: string): readonly AcknowledgedWrite[] =>
  ledger.acknowledged.filter(write => write.kind === kind);

/** Returns which names are not there exactly once. */
const notOnce = (what: string, names: readonly string[], found: readonly string[]): readonly string[] => {
  const counts = new Map(names.map(name => [name, 0]));
  for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count !== 1)
    .map(([name, count]) => `${what} ${name} is there ${count} times`);
};

let count = 0;

interface ClientRow {
  readonly id: number;
  readonly company: string;
}

/** Creates clients. */
const clients = (): FaultWriter => ({
  kind: 'clients',
  turn: async ledger => {
    await ledger.write({ kind: 'clients', method: 'POST', path: '/clients', body: { company: `Written ${++count}` } });
  },
  check: async ledger => {
    const rows = bodyOf<ClientRow[]>(await ledger.read('/clients?fields=id,company'));
    const made = writesOf(ledger, 'clients').map(({ response }) => bodyOf<ClientRow>(response));
    const named = ({ company }: ClientRow) => company;
    const numbered = ({ id, company }: ClientRow) => `${company} (${id})`;
    return [named, numbered].flatMap(name => notOnce('client', made.map(name), rows.map(name)));
  },
});

/** Confirms an assignment, and takes that back. */
const statuses = (assignment: number): FaultWriter => {
  const path = `/assignments/${assignment}/status`;
  let status = 6;
  return {
    kind: 'statuses',
    turn: async ledger => {
      status = 13 - status;
      await ledger.write({ kind: 'statuses', method: 'PUT', path, body: { status } });
    },
    check: async ledger => {
      const found = bodyOf<{ status: number }>(await ledger.read(`/assignments/${assignment}?fields=status`)).status;
      const last = ledger.acknowledged.findLast(write => write.path === path)?.body as { status: number } | undefined;
      return found === last?.status ? [] : [`assignment ${assignment} has status ${found}, not ${last?.status}`];
    },
  };
};

/** Uploads files. */
const files = (): FaultWriter => ({
  kind: 'files',
  turn: async ledger => {
    const name = `written-${++count}.txt`;
    const body = Buffer.from(`${name} `.repeat(2000));
    await ledger.write({ kind: 'files', method: 'POST', path: '/files', body, headers: { 'X-File-Name': name } });
  },
  check: async ledger => {
    const rows = bodyOf<{ name: string }[]>(await ledger.read('/files?fields=id,name'));
    const made = writesOf(ledger, 'files').map(({ headers }) => headers?.['X-File-Name'] ?? '');
    const names = rows.map(({ name }) => name);
    const found = [...notOnce('file', made, names)];
    for (const { body, response } of writesOf(ledger, 'files')) {
      const { bytes } = await ledger.read(`/files/${bodyOf(response).id}/content`);
      if (!bytes.equals(body as Buffer)) found.push(`file ${bodyOf(response).id} has other bytes`);
    }
    return found;
  },
});

interface FoundImport {
  readonly id: number;
  readonly status: string;
  readonly created: number;
  readonly failed: number;
}

/** Rows of an import, and milliseconds between two looks at it and until it has to be finished. */
const [rows, breath, longest] = [25, 40, 240_000];

/** Imports clients, and waits for the end of each import. */
const imports = (): FaultWriter => ({
  kind: 'imports',
  turn: async ledger => {
    const from = count;
    count += rows;
    const lines = Array.from({ length: rows }, (_, n) => ({
      external_id: `I-${from + n}`,
      company: `Imported ${from + n}`,
    }));
    const body = Buffer.from(lines.map(line => `${JSON.stringify(line)}\n`).join(''));
    const headers = { 'Content-Type': 'application/x-ndjson' };
    const write = { kind: 'imports', method: 'POST', path: '/clients/import', body, headers } as const;
    const { response } = await ledger.write(write);
    const { id } = bodyOf(response);
    const end = performance.now() + longest;
    while (['queued', 'running'].includes(bodyOf<FoundImport>(await ledger.read(`/imports/${id}`)).status)) {
      if (performance.now() > end) throw new Error(`The import ${id} is not finished within ${longest} ms.`);
      await pause(breath);
    }
  },
  check: async ledger => {
    const made = writesOf(ledger, 'imports');
    const found: string[] = [];
    for (const { response } of made) {
      const { id, status, created, failed } = bodyOf<FoundImport>(await ledger.read(`/imports/${bodyOf(response).id}`));
      if (status !== 'done' || created !== rows || failed !== 0)
        found.push(`import ${id} is ${status} with ${created} clients and ${failed} failed rows`);
    }
    const wanted = made.flatMap(({ body }) => String(body).match(/I-\d+/g) ?? []);
    const there = bodyOf<{ external_id: string }[]>(await ledger.read('/clients?fields=external_id&external_id=-null'));
    const names = there.map(row => row.external_id);
    return [...found, ...notOnce('imported client', wanted, names)];
  },
});

/** Pays a month, takes that back and removes the pay run, again and again. */
const payRuns = (assignments: readonly number[]): FaultWriter => {
  /** Of the pay run that there is: its id, and the status that was acknowledged. */
  let run: { readonly id: number; status: number } | null = null;
  const steps = [{ status: 2 }, { status: 3, paid_on }, { status: 2 }, { status: 1 }];
  let step = 0;
  return {
    kind: 'pay runs',
    turn: async ledger => {
      const kind = 'pay runs';
      if (run === null) {
        const body = { name: 'Run', ...period };
        const { response } = await ledger.write({ kind, method: 'POST', path: '/pay-runs', body });
        run = { id: bodyOf(response).id, status: 1 };
        step = 0;
      } else if (step === steps.length) {
        await ledger.write({ kind, method: 'DELETE', path: `/pay-runs/${run.id}`, body: undefined });
        run = null;
      } else {
        const body = steps[step++] as { status: number };
        await ledger.write({ kind, method: 'PUT', path: `/pay-runs/${run.id}`, body });
        run.status = body.status;
      }
    },
    check: async ledger => {
      const there = bodyOf<object[]>(await ledger.read('/pay-runs?fields=id,status'));
      const wanted = run ? [run] : [];
      const sheets = bodyOf<object[]>(
        await ledger.read('/paysheets?fields=assignment_id,pay_run_id&sort=assignment_id'),
      );
      const held = sheets.map(sheet => JSON.stringify(sheet));
      const expected = run ? assignments.map(id => JSON.stringify({ assignment_id: id, pay_run_id: run?.id })) : [];
      return [
        ...(JSON.stringify(there) === JSON.stringify(wanted)
          ? []
          : [`pay runs are ${JSON.stringify(there)}, not ${JSON.stringify(wanted)}`]),
        ...notOnce('paysheet', expected, held),
      ];
    },
  };
};

/**
 * Makes what clients write about, and the clients.
 * One who is in the list twice writes two things at a time.
 */
export const makeWriters = async (client: Client): Promise<readonly FaultWriter[]> => {
  const scene = new PayRuns(client);
  const profile = await scene.profile();
  const paid = [];
  for (let left = 3; left > 0; left--) paid.push(await scene.approved({ profile }));
  const changed = [await scene.assignment({ profile }), await scene.assignment({ profile })];
  const made = clients();
  return [made, made, ...changed.map(statuses), files(), imports(), payRuns(paid)];
};
