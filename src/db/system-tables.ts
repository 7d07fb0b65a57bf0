import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Module } from '../core/resource/resource.ts';

/** Tables of the service itself, which belong to no tenant. */
export interface SystemTables {
  tenants: {
    id: Generated<number>;
    /** The first label of the tenant's host name, in lower case. */
    slug: string;
    name: string;
    /** IANA time zone name. */
    time_zone: string;
    /** JSON array of modules; written as JSON text. */
    modules: JsonColumn<Module[]>;
    /** Maximum requests per period for each API user; null: the configured default. */
    rate_limit: number | null;
    sandbox: Generated<boolean>;
    /** Milliseconds by which the clock of a sandbox is ahead. */
    clock_ahead: Generated<number>;
    active: Generated<boolean>;
    /** Whether it has had an automation that changes of records trigger. */
    followed: Generated<boolean>;
    created_at: Generated<string>;
  };
  tenant_hosts: {
    /** Host name in lower case. */
    host: string;
    tenant_id: number;
  };
  administration_tokens: {
    id: string;
    /** The name of the administrator. */
    name: string;
    /** The tenant that it is limited to; null: all tenants. */
    limited_to: number | null;
    /** SHA-256 of the secret part, as base64url. */
    hash: string;
    created_at: Generated<string>;
    expires_at: string;
    revoked_at: Generated<string | null>;
    last_used_at: Generated<string | null>;
  };
  /** What administrators have done. */
  administration_log: {
    id: GeneratedAlways<number>;
    at: Generated<string>;
    administrator: string;
    token_id: string | null;
    operation: string;
    /** The tenant's slug. */
    tenant: string | null;
    target: string | null;
    /** The status of the response; null: in progress or interrupted. */
    status: Generated<number | null>;
    address: string | null;
    request_id: string | null;
  };
}

/** Tables of tenant data not exposed by the API: the tenants' role can only read them. */
export interface AccessTables {
  api_users: {
    tenant_id: Generated<number>;
    id: number;
    name: string;
    read_only: Generated<boolean>;
    scopes: ColumnType<readonly string[], string | undefined, string>;
    hidden: ColumnType<readonly string[], string | undefined, string>;
    active: Generated<boolean>;
    created_at: Generated<string>;
  };
  tokens: {
    tenant_id: Generated<number>;
    jti: string;
    api_user_id: number;
    issued_at: Generated<string>;
    expires_at: string;
    /** Time of revocation; null: not revoked. */
    revoked_at: string | null;
    /** Time of the last request, to within a minute; null: never used. */
    last_used_at: Generated<string | null>;
  };
  /** Requests that were rejected or have failed; the tenants' role cannot read them. */
  refused_requests: {
    tenant_id: Generated<number>;
    id: number;
    at: string;
    operation: string | null;
    status: number;
    code: string | null;
    api_user_id: number | null;
    request_id: string;
  };
  /** Numbers of requests; the tenants' role cannot read them. */
  api_user_usage: {
    tenant_id: Generated<number>;
    api_user_id: number;
    /** In UTC. */
    day: string;
    /** The engine's verb, or `action`. */
    class: string;
    requests: number;
    /** Those with status 400 or more. */
    refused: number;
  };
  /** Keys that webhooks are signed with; the tenants' role cannot even read them. */
  webhook_secrets: {
    tenant_id: Generated<number>;
    id: number;
    /** In the format of Standard Webhooks: `whsec_` and base64. */
    secret: string;
    created_at: Generated<string>;
    /** Expiry after replacement by a new secret; null: not replaced. */
    expires_at: string | null;
  };
}

type JsonColumn<T> = ColumnType<T, string, string>;
