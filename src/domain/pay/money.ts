import { Decimal } from 'decimal.js';

/** A decimal, as a string of the database or a number of JSON. */
export type Amount = string | number;

/** Precise enough for every product here; a clone, because the library's settings are global. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

const round = (value: Decimal, places: number): string => value.toFixed(places, Decimal.ROUND_HALF_UP);

/** Returns the product, rounded half up to cents. */
export const payOf = (baseValue: Amount, factor: Amount): string => round(new Exact(baseValue).times(factor), 2);

/** Returns the price of a quantity, rounded half up to cents. */
export const priceOf = (quantity: Amount, rate: Amount, factor: Amount): string =>
  round(new Exact(quantity).times(rate).times(factor), 2);

/** Returns the pay for one unit: value times factor, rounded to four decimal places. */
export const rateOf = (value: Amount, factor: Amount): string => round(new Exact(value).times(factor), 4);

/** Returns seconds as hours, rounded half up. */
export const hoursOf = (seconds: number, places = 6): string => round(new Exact(seconds).dividedBy(3600), places);

/** Returns the larger of two amounts, with four decimal places. */
export const largerOf = (left: Amount, right: Amount): string => round(Exact.max(left, right), 4);

/** Returns the pay for a time at an hourly rate, rounded to cents; computed from seconds, not from rounded hours. */
export const payOfTime = (rate: Amount, seconds: number): string =>
  round(new Exact(rate).times(seconds).dividedBy(3600), 2);

/** Returns the sum, rounded to cents. */
export const sumOf = (amounts: readonly Amount[]): string =>
  round(
    amounts.reduce((sum: Decimal, amount) => sum.plus(amount), new Exact(0)),
    2,
  );

/** Returns whether two amounts are numerically equal. */
export const isSame = (left: Amount | null, right: Amount | null): boolean =>
  left === null || right === null ? left === right : new Exact(left).equals(right);

/** Returns whether a number is in a range, bounds included. */
export const isWithin = (value: Amount, least: Amount, greatest: Amount): boolean =>
  new Exact(value).gte(least) && new Exact(value).lte(greatest);
