/** A request that the server has rejected. */
export class Rejected extends Error {
  /**
   * @param {number} status
   * @param {{message?: string, description?: string, errors?: {message: string}[]}} problem
   */
  constructor(status, { message = `The server responds with ${status}.`, errors = [] }) {
    super([message, ...errors.map(error => error.message)].join(' '));
    this.status = status;
  }
}

/**
 * Returns the function that sends requests with a token.
 * @param {string} token
 */
export const createApi = token => async (method, path, body) => {
  const response = await fetch(`/administration/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    credentials: 'omit',
    redirect: 'error',
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => null);
  if (!response) throw new Rejected(0, { message: 'The server does not respond.' });
  const text = await response.text();
  const value = text === '' ? null : JSON.parse(text);
  if (!response.ok) throw new Rejected(response.status, value ?? {});
  return value;
};
