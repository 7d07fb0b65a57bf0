/** Decimal places of the numbers that `scaled` counts in. */
const places = 18;

/** A decimal number in units of 10^-18, exactly. */
const scaled = (number: number | string): bigint => {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(number)) ?? [];
  if (sign === undefined) throw new RangeError(`${number} is no plain decimal.`);
  const magnitude = BigInt(whole + fraction.padEnd(places, '0'));
  return sign ? -magnitude : magnitude;
};

/** Returns the product of numbers, rounded once, half away from zero: computed without the service's code. */
export const productOf = (numbers: readonly (number | string)[], decimals: number): number => {
  const product = numbers.reduce((all: bigint, number) => all * scaled(number), 1n);
  const unit = 10n ** BigInt(places * numbers.length - decimals);
  const magnitude = product < 0n ? -product : product;
  const rounded = (magnitude + unit / 2n) / unit;
  return Number(product < 0n ? -rounded : rounded) / 10 ** decimals;
};
