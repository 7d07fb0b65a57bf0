import { type Operation, violations } from './operations.ts';

/** Returns what is wrong with the bytes that a server sent for a request that no client library sends; none is right, too. */
export const rawProblems = (operation: Operation, response: string): readonly string[] => {
  // A request that the parser cannot respond to only ends the connection.
  if (response === '') return [];
  const [, status = '', rest = ''] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(.*)$/s.exec(response) ?? [];
  if (status === '') return ['the response is none of HTTP'];
  if (Number(status) >= 500 && status !== '503') return [`the status is ${status}`];
  const body = rest.slice(rest.indexOf('\r\n\r\n') + 4);
  const type = /^content-type: ([^\r;]+)/im.exec(rest)?.[1];
  // A changed byte may cause a compressed response.
  if (type !== 'application/json' || body === '' || /^(transfer|content)-encoding/im.test(rest)) return [];
  if (Number(status) < 400) return [];
  const error = JSON.parse(body.slice(0, body.lastIndexOf('}') + 1));
  // These statuses may come from the parser or from another path; all others must be documented by the operation.
  if (['400', '404', '405', '431'].includes(status))
    return typeof error.code === 'string' ? [] : ['the error has no code'];
  return violations(operation, Number(status), error);
};
