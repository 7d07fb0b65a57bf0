import { misplaced } from '../../test/replica/order.ts';
import { Replica } from '../../test/replica/replica.ts';
import type { Deployment } from './deployment.ts';
import type { Fault } from './fault.ts';
import { type FaultGround, makeGround } from './ground.ts';
import { WriteLedger } from './ledger.ts';

/** What a fault did to the writes that were acknowledged. */
export interface FaultOutcome {
  /** What happened, in a few words. */
  readonly happened: string;
  readonly acknowledged: number;
  /** Requests that got no response, and those whose response says to try again. */
  readonly lost: number;
  readonly rejected: number;
  /** Acknowledgements of a write that an earlier request had done, whose response was lost. */
  readonly repeats: number;
  /** Changes that were followed. */
  readonly changes: number;
  /** What was not as promised, a sentence each. */
  readonly violations: readonly string[];
}

/**
 * Has a fault happen while clients write, and compares the ledger with what is there.
 * One client follows the changes meanwhile.
 */
export const tryFault = async (fault: Fault, deployment: Deployment, short: boolean): Promise<FaultOutcome> => {
  const happened: string[] = [];
  const ground = await makeGround(deployment, async service => {
    if (fault.migrate) happened.push(await fault.migrate(service, short));
  });
  try {
    await fault.prepare?.(ground);
    const { service, client, writers } = ground;
    await service.start(client);
    const ledger = new WriteLedger(client, service);
    const replica = new Replica(async (_, path) => {
      const { status, bytes } = await ledger.read(path);
      return { status, body: JSON.parse(bytes.toString()) };
    });
    await replica.load();
    const stopping = new AbortController();
    const goesOn = async (work: () => Promise<unknown>): Promise<void> => {
      while (!stopping.signal.aborted) await work();
    };
    const work = Promise.all([
      ...writers.map(writer => goesOn(() => writer.turn(ledger))),
      goesOn(() => replica.step(1000, 1)),
    ]);
    const happening = fault.happen?.(ground, ledger, short);
    // A writer ends early only by an error.
    if (happening) happened.push(await Promise.race([happening, work.then(() => '')]));
    await ledger.more(writers.length);
    stopping.abort();
    await work;
    await check(ledger, replica, ground);
    ledger.close();
    return {
      happened: happened.join(),
      acknowledged: ledger.acknowledged.length,
      ...ledger.repeated,
      repeats: ledger.acknowledged.filter(({ isRepeat }) => isRepeat).length,
      changes: replica.positions.size,
      violations: ledger.violations,
    };
  } finally {
    await ground.service.end('SIGKILL');
    for (const undo of ground.undo.toReversed()) await undo();
  }
};

const check = async (ledger: WriteLedger, replica: Replica, { writers }: FaultGround): Promise<void> => {
  const found = ledger.violations;
  for (const writer of new Set(writers)) found.push(...(await writer.check(ledger)));
  await ledger.replayAll();
  while (!(await replica.step(1000)));
  await replica.refresh();
  found.push(...(await replica.differences()));
  found.push(
    ...writers.flatMap(({ kind }) =>
      ledger.acknowledged.some(write => write.kind === kind) ? [] : [`no ${kind} were acknowledged`],
    ),
  );
  found.push(...notFollowed(ledger, replica.positions));
  const order = misplaced(replica.positions, ledger.requests);
  if (order) found.push(order);
};

/** Returns which writes the changes do not name once. */
const notFollowed = (ledger: WriteLedger, positions: ReadonlyMap<string, number>): readonly string[] =>
  ledger.acknowledged
    // An import is processed after its response.
    .filter(({ response }) => response.status !== 202)
    .flatMap(({ requestIds, method, path, isRepeat }) => {
      const done = requestIds.filter(id => positions.has(id));
      if (done.length !== 1) return [`${method} ${path} (${requestIds.at(-1)}) was done ${done.length} times`];
      return isRepeat === (done[0] !== requestIds.at(-1))
        ? []
        : [`${requestIds.at(-1)} is acknowledged and was done as ${done[0]}`];
    });
