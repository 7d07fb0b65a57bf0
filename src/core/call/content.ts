import type { Readable } from 'node:stream';

/** A raw body that has been received completely and stored. */
export interface Content {
  /** The unguessable token that it is stored under. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
  /** The type detected from the bytes; null if unknown. */
  readonly detected: { readonly mime: string; readonly extension: string } | null;
  /** Removes the content, which no record refers to. Does not fail: the sweeper removes what is left. */
  discard(): Promise<void>;
}

/** Stores raw bodies before their operation's handler runs. */
export interface Intake {
  /**
   * Receives and stores a raw body.
   * @param length the Content-Length in bytes; null: unknown
   * @throws ApiError payload_too_large (413), service_unavailable (503)
   */
  receive(tenantId: number, stream: Readable, length: number | null): Promise<Content>;
}
