import { Decimal } from 'decimal.js';

/** A decimal as the database gives it, or as JSON has it. */
export type Amount = string | number;

/** Digits enough for every product here; a copy of its own, as settings of the library's are global. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

const round = (value: Decimal, places: number): string => value.toFixed(places, Decimal.ROUND_HALF_UP);

/** The product to the cent, half up. */
export const payOf = (baseValue: Amount, factor: Amount): string => round(new Exact(baseValue).times(factor), 2);

/** The pay for one unit, to four places: the value times its factor. */
export const rateOf = (value: Amount, factor: Amount): string => round(new Exact(value).times(factor), 4);

/** Hours to six places. */
export const hoursOf = (seconds: number): string => round(new Exact(seconds).dividedBy(3600), 6);

/** What the time is worth at an hourly rate, to the cent: of the seconds themselves, not of their rounded hours. */
export const payOfTime = (rate: Amount, seconds: number): string =>
  round(new Exact(rate).times(seconds).dividedBy(3600), 2);

/** The sum to the cent. */
export const sumOf = (amounts: readonly Amount[]): string =>
  round(
    amounts.reduce((sum: Decimal, amount) => sum.plus(amount), new Exact(0)),
    2,
  );

/** Whether they are the same number, however it is written. */
export const isSame = (left: Amount | null, right: Amount | null): boolean =>
  left === null || right === null ? left === right : new Exact(left).equals(right);

/** Whether a number lies between two others, these included. */
export const isWithin = (value: Amount, least: Amount, greatest: Amount): boolean =>
  new Exact(value).gte(least) && new Exact(value).lte(greatest);

/** Digits after the decimal point. */
export const placesOf = (value: Amount): number => new Exact(value).decimalPlaces();
