import type { InternalRequest, InternalResponse } from '../../http/connection/internal/route.ts';

export const servePage = (_: InternalRequest): InternalResponse => ({ status: 404, body: { status: 'not_found' } });
