import { randomUUID } from 'node:crypto';

const safe = /^[\w.:+/=@~-]{1,128}$/;

/** Returns the client's X-Request-Id if it is safe to repeat; otherwise a new one. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && safe.test(header) ? header : randomUUID();

/** The place of a request in a distributed trace. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly trace_id: string;
  /** The caller's part of the trace: 16 hexadecimal digits. */
  readonly parent_id: string;
}

const pattern = /^[0-9a-f]{2}-(?<trace>[0-9a-f]{32})-(?<parent>[0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/;

/** Returns the trace of a traceparent header (W3C Trace Context); null: none, or invalid. */
export const traceOf = (header: string | string[] | undefined): Trace | null => {
  const { trace = '', parent = '' } = pattern.exec(String(header ?? ''))?.groups ?? {};
  const invalid = String(header).startsWith('ff') || /^0*$/.test(trace) || /^0*$/.test(parent);
  return invalid ? null : { trace_id: trace, parent_id: parent };
};
