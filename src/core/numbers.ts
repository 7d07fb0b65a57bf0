/** The keyword of schemas whose value is the number of decimal places that are stored. */
export const scaleKeyword = 'x-scale';

/**
 * Whether a column with so many decimal places stores the number unchanged.
 * See docs/decisions.md, "Fields in requests".
 */
export const hasScale = (scale: number, value: number): boolean => Number(value.toFixed(scale)) === value;

/**
 * Whether a JSON number has exactly the value that it is parsed to.
 * `1e-400` and an integer with 20 digits have not. Decimal fractions count as exact although their binary form is not.
 */
export const isExact = (text: string): boolean => {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return /^[-0.]*(?:e|$)/i.test(text);
  const shortest = String(value);
  if (text === shortest) return true;
  const magnitude = Math.abs(value);
  // A normal double holds any number of up to 15 digits.
  if (text.length <= 15 && magnitude > 1e-300 && magnitude < 1e300) return true;
  return decimalOf(text) === decimalOf(shortest);
};

/** Returns a number's significant digits and its power of ten: equal for equal numbers. */
const decimalOf = (text: string): string => {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return end === 0 ? '0' : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
};

/**
 * Whether the database reads a string as a number: neither too large nor too close to zero.
 * The notation is that of JSON, which has exponents, with any sign before it.
 */
export const isNumber = (text: string): boolean => {
  const [, whole = '', digits] = /^[+-]?((\d{1,30}(?:\.\d{1,30})?)(?:e[+-]?\d{1,3})?)$/i.exec(text) ?? [];
  return digits !== undefined && Number.isFinite(Number(whole)) && (Number(whole) !== 0 || Number(digits) === 0);
};
