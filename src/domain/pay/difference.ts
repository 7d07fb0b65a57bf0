import { amountOf, isSame, sumOf } from './money.ts';

/** A line of a paysheet with its decimals as strings, so that nothing is lost. */
export interface WageLine {
  readonly wage_type_id: number | null;
  readonly name: string;
  readonly quantity: string;
  readonly unit: string | null;
  readonly rate: string;
  readonly factor: string;
  readonly amount: string;
  readonly currency: string;
  readonly wage_profile_id: number | null;
  readonly wage_type_external_id: string | null;
}

/**
 * Returns the lines that, added to those that are paid already, pay what they should.
 * Lines of the same terms become one; where it would not multiply to its amount, the paid ones are reversed one by one. Together they have
 * the difference of the sums, in each currency. See docs/decisions.md, "Corrections".
 */
export const differenceOf = (paid: readonly WageLine[], owed: readonly WageLine[]): readonly WageLine[] => {
  const paidOf = Map.groupBy(paid, termsOf);
  const owedOf = Map.groupBy(owed, termsOf);
  return [...new Set([...owedOf.keys(), ...paidOf.keys()])].flatMap(terms =>
    groupDifference(paidOf.get(terms) ?? [], owedOf.get(terms) ?? []),
  );
};

const groupDifference = (paid: readonly WageLine[], owed: readonly WageLine[]): readonly WageLine[] => {
  const reversed = paid.map(reverse);
  const all = [...reversed, ...owed];
  const [first] = owed.length > 0 ? owed : paid;
  if (!first) return [];
  const [quantity, amount] = [sumOf(all.map(line => line.quantity)), sumOf(all.map(line => line.amount))];
  if (isSame(quantity, 0) && isSame(amount, 0)) return [];
  const isProduct = isSame(amountOf(first.currency, quantity, first.rate, first.factor), amount);
  return isProduct ? [{ ...first, quantity, amount }] : all;
};

const reverse = (line: WageLine): WageLine => ({
  ...line,
  quantity: negative(line.quantity),
  amount: negative(line.amount),
});

const negative = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`);

/** What lines of one group have in common. */
const termsOf = ({ wage_profile_id, wage_type_id, name, unit, currency, rate, factor }: WageLine): string =>
  JSON.stringify([wage_profile_id, wage_type_id, name, unit, currency, sumOf([rate]), sumOf([factor])]);

/** Returns lines as JSON, with all decimals. */
export const linesJson = (lines: readonly WageLine[]): string =>
  `[${lines
    .map(({ quantity, rate, factor, amount, ...texts }) => {
      const numbers = Object.entries({ quantity, rate, factor, amount }).map(
        ([name, value]) => `"${name}":${sumOf([value])}`,
      );
      return `{${numbers.join()},${JSON.stringify(texts).slice(1)}`;
    })
    .join()}]`;
