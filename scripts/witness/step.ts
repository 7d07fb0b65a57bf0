/**
 * A request.
 * `{{7.body:/0/id}}` in its target, headers or body is replaced by that part of the result of step 7.
 */
export interface RequestStep {
  readonly kind: 'request';
  /** The operationId, or a name for a request that is not in the document. */
  readonly operation: string;
  /** What the request tests. */
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

/** A step of the witness: starts or stops the server, runs a command or sends a request. */
export type Step =
  | { readonly kind: 'start' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'command'; readonly args: readonly string[] }
  | RequestStep;

/** The result of a step. */
export interface StepResult {
  /** The HTTP status or the exit code; null if the connection was closed without a response. */
  readonly status: number | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The decoded text; base64 with the prefix `base64:` if it is not UTF-8. */
  readonly body: string;
}

export interface RecordedStep {
  readonly step: Step;
  readonly result: StepResult;
}

/** Performs a step and returns its number and result. */
export type PerformStep = (step: Step) => Promise<{ readonly number: number; readonly result: StepResult }>;
