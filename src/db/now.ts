import { sql } from 'kysely';

/** SQL of the present by the tenant's clock, to the second: of the times that records have. */
export const now = sql<string>`date_trunc('second', tenant_now())`;
