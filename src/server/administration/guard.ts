import { createHash, timingSafeEqual } from 'node:crypto';
import type { InternalRequest, InternalRoute } from '../../http/connection/internal/route.ts';

/** A request to the administration API that is rejected. */
export class Rejection extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const loopback = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const localHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Checks that a request comes from this machine, was not sent by a page in a browser, and has the key. @throws Rejection */
const admit = ({ address, headers }: InternalRequest, key: string): void => {
  if (!loopback.test(address)) throw new Rejection(403, 'forbidden', 'Only processes of this machine are served.');
  // A page could reach this port by a name of its own that resolves to this machine (DNS rebinding).
  if (!localHost.test(headers.host ?? '') || headers.origin !== undefined)
    throw new Rejection(403, 'forbidden', 'The Host header does not name this machine.');
  if (!timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${key}`)))
    throw new Rejection(401, 'invalid_token', 'The key is missing or not that of the running server.');
};

/** Returns a route of the administration API: JSON in, JSON out, for holders of the key. */
export const guarded =
  (key: string, serve: (body: unknown) => Promise<unknown>): InternalRoute =>
  async request => {
    try {
      admit(request, key);
      return { status: 200, body: await serve(parse(request.body)) };
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      return { status: error.status, body: { code: error.code, message: error.message } };
    }
  };

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    throw new Rejection(400, 'invalid_json', 'The body is not JSON.');
  }
};
