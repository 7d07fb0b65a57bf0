import type { Simulated, SimulatedRow } from '../simulated.ts';
import type { Invariant } from './invariant.ts';

/** What is approved is paid: pay is the sum of the wages in one currency, and lines are the wages. */
export const paid: Invariant = {
  name: 'lines are wages',
  state: async simulated => [...(await ofApprovals(simulated)), ...(await ofSheets(simulated))],
};

const sumOf = (rows: readonly SimulatedRow[], member: string): number =>
  Math.round(rows.reduce((sum, row) => sum + Number(row[member] ?? 0), 0) * 1e6) / 1e6;

const sums = (rows: readonly SimulatedRow[], member: string): string =>
  JSON.stringify(
    [...Map.groupBy(rows, ({ currency }) => currency as string)]
      .map(([currency, same]) => [currency, sumOf(same, member)] as const)
      .filter(([, sum]) => sum !== 0)
      .toSorted(),
  );

const enabled = async ({ list }: Simulated): Promise<ReadonlyMap<number, readonly SimulatedRow[]>> =>
  Map.groupBy(await list('/assignment-wages?is_disabled=0'), row => row.assignment_id as number);

const ofApprovals = async (simulated: Simulated): Promise<readonly string[]> => {
  const wages = await enabled(simulated);
  const approved = await simulated.list('/assignments?is_approved=1&fields=id,pay_amount,paid_on');
  return approved.flatMap(({ id, pay_amount }) => {
    const own = wages.get(id) ?? [];
    const currencies = new Set(own.map(({ currency }) => currency));
    const sum = sumOf(own, 'payable_amount');
    return [
      ...(currencies.size > 1 ? [`assignment ${id} is approved in ${[...currencies]}`] : []),
      ...(pay_amount !== null && pay_amount !== sum ? [`assignment ${id} pays ${pay_amount} for wages of ${sum}`] : []),
    ];
  });
};

/** Paysheets made by hand say what they like; a difference counts before a pay run has it, too. */
const ofSheets = async (simulated: Simulated): Promise<readonly string[]> => {
  const wages = await enabled(simulated);
  const sheets = Map.groupBy(await simulated.list('/paysheets'), row => row.assignment_id as number);
  const approved = await simulated.list('/assignments?is_approved=1&fields=id');
  return approved.flatMap(({ id }) => {
    const own = sheets.get(id) ?? [];
    const derived = own.length > 0 && own.every(({ kind, pay_run_id }) => kind === 'correction' || pay_run_id !== null);
    const lines = own.flatMap(sheet => sheet.lines as readonly SimulatedRow[]);
    const strange = own.filter(sheet => sheet.lines.some((line: SimulatedRow) => line.currency !== sheet.currency));
    const [said, owed] = [sums(lines, 'amount'), sums(wages.get(id) ?? [], 'payable_amount')];
    return [
      ...strange.map(sheet => `paysheet ${sheet.id} in ${sheet.currency} has lines in another currency`),
      ...(derived && said !== owed ? [`assignment ${id} has lines of ${said} for wages of ${owed}`] : []),
    ];
  });
};
