import type { Module } from './resource.ts';

/** A staffing agency, as far as a request needs to know it. */
export interface Tenant {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** IANA name; bare dates and dates without an offset are of this zone. */
  readonly timeZone: string;
  readonly modules: ReadonlySet<Module>;
  /** Requests per period for each API user; null: the configured default. */
  readonly rateLimit: number | null;
}

/** Who asks: made of the request's host and its verified token. */
export interface Principal {
  readonly tenant: Tenant;
  readonly apiUser: { readonly id: number; readonly name: string; readonly readOnly: boolean };
  /** The token's `jti`. */
  readonly tokenId: string;
}
