import { Decimal } from 'decimal.js';

/** A decimal, as a string of the database or a number of JSON. */
export type Amount = string | number;

/** Precise enough for every product here; a clone, because the library's settings are global. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_UP });

const round = (value: Decimal, places: number): string => {
  const rounded = value.toDecimalPlaces(places, Decimal.ROUND_HALF_UP);
  // A negative number that is rounded to zero keeps no sign.
  return (rounded.isZero() ? rounded.abs() : rounded).toFixed(places);
};

/** The currencies of ISO 4217 without exactly two decimal places; also in src/domain/pay/amount.sql. */
const minorUnits: Readonly<Record<number, readonly string[]>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
  3: 'BHD IQD JOD KWD LYD OMR TND'.split(' '),
  4: 'CLF UYW'.split(' '),
};

const placesOf = new Map(
  Object.entries(minorUnits).flatMap(([places, codes]) => codes.map(code => [code, Number(places)] as const)),
);

/** Returns the number of decimal places of amounts in a currency (ISO 4217 code). */
export const minorUnitOf = (currency: string): number => placesOf.get(currency) ?? 2;

/**
 * Returns the amount of a line.
 * Quantity times rate times factor, rounded once, half away from zero, to the minor unit of the currency. All amounts of
 * wages, proposals and billings are computed here or, in views, by `amount_of`. See docs/decisions.md, "Rounding".
 */
export const amountOf = (currency: string, quantity: Amount, rate: Amount, factor: Amount = 1): string =>
  round(new Exact(quantity).times(rate).times(factor), minorUnitOf(currency));

/** Returns the product, not rounded. */
export const productOf = (left: Amount, right: Amount): string => new Exact(left).times(right).toFixed();

/** Returns a number with at most so many decimal places, rounded half away from zero. */
export const withPlaces = (value: Amount, places: number): string =>
  new Exact(value).toDecimalPlaces(places, Decimal.ROUND_HALF_UP).toFixed();

/** Returns seconds as hours, rounded half up. */
export const hoursOf = (seconds: number, places = 6): string => round(new Exact(seconds).dividedBy(3600), places);

/** Returns the larger of two amounts, with four decimal places. */
export const largerOf = (left: Amount, right: Amount): string => round(Exact.max(left, right), 4);

/** The largest amount of money, of either sign. */
export const largestAmount = 9_999_999_999;

/** Returns whether an amount of money can be stored. */
export const isStorable = (amount: Amount): boolean => isWithin(amount, -largestAmount, largestAmount);

/** Returns the sum, not rounded. */
export const sumOf = (amounts: readonly Amount[]): string =>
  amounts.reduce((sum: Decimal, amount) => sum.plus(amount), new Exact(0)).toFixed();

/** Returns whether two amounts are numerically equal. */
export const isSame = (left: Amount | null, right: Amount | null): boolean =>
  left === null || right === null ? left === right : new Exact(left).equals(right);

/** Returns whether a number is in a range, bounds included. */
export const isWithin = (value: Amount, least: Amount, greatest: Amount): boolean =>
  new Exact(value).gte(least) && new Exact(value).lte(greatest);

/**
 * Returns a decimal in digits, without zeros at its end.
 * @param scale exactly so many decimal places, rounded half away from zero
 * @param digits at least so many digits before the decimal point
 */
export const withDigits = (value: Amount, scale?: number, digits = 1): string => {
  const text = scale === undefined ? new Exact(value).toFixed() : round(new Exact(value), scale);
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(\D.*)?$/.exec(text) ?? [];
  return `${sign}${whole.padStart(digits, '0')}${fraction}`;
};

/** Returns a quantity, a part of which (the hours) is converted, and rounded half away from zero. */
export const converted = (quantity: Amount, hours: Amount, factor: number, places: number): string =>
  new Exact(quantity)
    .minus(hours)
    .plus(round(new Exact(hours).times(factor), places))
    .toFixed();
