/** A request to the service; `{{7.body:/0/id}}` in its target, headers or body stands for a part of the result of step 7. */
export interface RequestStep {
  readonly kind: 'request';
  /** The operation's id, or the name of what is not in the document. */
  readonly operation: string;
  /** What the request is to show. */
  readonly purpose: string;
  /** `api` (HTTPS), `plain` (HTTP on the same port) or `internal` (the port of health checks). */
  readonly port: 'api' | 'plain' | 'internal';
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the body is sent compressed. */
  readonly gzip?: boolean;
}

/** What the witness does, one after the other: it starts and stops the server, calls the command line and sends requests. */
export type Step =
  | { readonly kind: 'start' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'command'; readonly args: readonly string[] }
  | RequestStep;

/** What a step gave. */
export interface Result {
  /** HTTP status, or a process's exit code; null: the connection was closed without a response. */
  readonly status: number | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decoded, as text; bytes that are not UTF-8 in base64 with the prefix `base64:`. */
  readonly body: string;
}

export interface Entry {
  readonly step: Step;
  readonly result: Result;
}

/** Performs a step and gives its number and result. */
export type Perform = (step: Step) => Promise<{ readonly number: number; readonly result: Result }>;
