import type { Readable } from 'node:stream';

/** A raw body that has arrived whole and lies in the storage. */
export interface Content {
  /** The unguessable token that it is stored under. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
  /** What it is by its bytes; null: nothing that is known by them. */
  readonly detected: { readonly mime: string; readonly extension: string } | null;
  /** Removes it again: no record tells of it. */
  discard(): Promise<void>;
}

/** Where raw bodies go before their operation's handler runs. */
export interface Intake {
  /**
   * @param length bytes as announced; null: unknown
   * @throws ApiError payload_too_large (413), service_unavailable (503)
   */
  receive(tenantId: number, stream: Readable, length: number | null): Promise<Content>;
}
