import type { ColumnType, Generated } from 'kysely';
import type { Module } from '../core/resource/resource.ts';

/** Tables of the service itself, of no tenant. */
export interface SystemTables {
  tenants: {
    id: Generated<number>;
    /** The first label of the tenant's address; lower case. */
    slug: string;
    name: string;
    /** IANA name. */
    time_zone: string;
    /** A JSON array of modules: written as its text. */
    modules: Json<Module[]>;
    /** Requests per period of each API user; null: the configured default. */
    rate_limit: number | null;
    active: Generated<boolean>;
    created_at: Generated<string>;
  };
  tenant_hosts: {
    /** Lower case. */
    host: string;
    tenant_id: number;
  };
}

/** Tables of the tenants that their API does not show: the tenants' role may only read them. */
export interface AccessTables {
  api_users: {
    tenant_id: Generated<number>;
    id: number;
    name: string;
    read_only: Generated<boolean>;
    active: Generated<boolean>;
    created_at: Generated<string>;
  };
  tokens: {
    tenant_id: Generated<number>;
    jti: string;
    api_user_id: number;
    issued_at: Generated<string>;
    expires_at: string;
    /** Null: not revoked. */
    revoked_at: string | null;
  };
  /** Not even that: what webhooks are signed with. */
  webhook_secrets: {
    tenant_id: Generated<number>;
    id: number;
    /** As Standard Webhooks writes it: `whsec_` and base64. */
    secret: string;
    created_at: Generated<string>;
    /** Null: it has not been replaced. */
    expires_at: string | null;
  };
}

type Json<T> = ColumnType<T, string, string>;
