import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { tallies } from '../core/tally.ts';
import type { serviceHeaders } from '../domain/occurrences/service-headers.ts';
import { createGate, TargetError, type TargetPolicy } from './target.ts';

/** The options of `createWebhooks`. */
export interface WebhookOptions extends TargetPolicy {
  /** Maximum duration of a request in milliseconds, from the DNS look-up to the end of the response. */
  readonly timeout: number;
}

/** A webhook request to send. */
export interface WebhookMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly id: string;
  readonly timestamp: Date;
  /** JSON. */
  readonly payload: string;
  /** One signature is sent per secret, since a receiver knows only one of them. */
  readonly secrets: readonly string[];
}

/** The result of a request. */
export interface WebhookResponse {
  readonly status: number | null;
  /** Null: accepted (2xx). */
  readonly error: 'not_accepted' | 'timeout' | 'connection_failed' | TargetError['code'] | null;
}

/** Sends a webhook and returns the result; does not throw for failed requests. */
export type SendWebhook = (message: WebhookMessage) => Promise<WebhookResponse>;

/** Maximum number of response bytes to read; they are discarded. */
const responseLimit = 65_536;

/**
 * Creates the sender of webhooks, signed as in Standard Webhooks.
 * It sends only to allowed targets and follows no redirects.
 */
export const createWebhooks = (options: WebhookOptions): SendWebhook => {
  const gate = createGate(options);
  const attempt: SendWebhook = async message => {
    const signal = AbortSignal.timeout(options.timeout);
    try {
      const url = new URL(message.url);
      gate.check(url);
      const status = await post(url, message, gate.lookup, signal);
      return { status, error: status >= 200 && status < 300 ? null : 'not_accepted' };
    } catch (error) {
      if (error instanceof TargetError) return { status: null, error: error.code };
      return { status: null, error: signal.aborted ? 'timeout' : 'connection_failed' };
    }
  };
  return async message => {
    const started = performance.now();
    const response = await attempt(message);
    const result = response.error ?? 'accepted';
    tallies.webhooks.add(result);
    tallies.webhookSeconds.add(result, (performance.now() - started) / 1000);
    return response;
  };
};

/** Returns the headers of a webhook: the configured ones, and those of its body and of its signature. */
export const headersOf = (message: WebhookMessage): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(message.headers).filter(([name]) => !reserved.has(name.toLowerCase()))),
  ...ownHeadersOf(message),
});

const ownHeadersOf = ({
  id,
  timestamp,
  payload,
  secrets,
}: WebhookMessage): Readonly<Record<(typeof serviceHeaders)[number], string>> => ({
  'user-agent': 'staffing-webhooks',
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(payload)),
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
  'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, timestamp, payload)).join(' '),
});

const post = (
  url: URL,
  message: WebhookMessage,
  lookup: ReturnType<typeof createGate>['lookup'],
  signal: AbortSignal,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // Without keep-alive, so that the target's IP address is checked for every request.
    send(url, { method: 'POST', headers: headersOf(message), agent: false, lookup: lookup as never, signal })
      .on('error', reject)
      .on('response', response => settle(response, resolve, reject))
      .end(message.payload);
  });

/** Transport headers that a configuration must not set. */
const reserved = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const settle = (response: IncomingMessage, resolve: (status: number) => void, reject: (error: Error) => void): void => {
  const status = response.statusCode ?? 0;
  let size = 0;
  response
    .on('error', reject)
    .on('end', () => resolve(status))
    .on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= responseLimit) return;
      resolve(status);
      response.destroy();
    });
};
