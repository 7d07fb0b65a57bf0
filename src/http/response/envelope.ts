import type { Json } from '../../core/call/reply.ts';

export type Headers = Readonly<Record<string, string>>;

/** Headers whose values are numbers. */
const numeric = new Set([
  'access-control-max-age',
  'age',
  'retry-after',
  'x-rate-limit-limit',
  'x-rate-limit-remaining',
  'x-rate-limit-reset',
  'x-total-count',
]);

/**
 * Returns an envelope's members beside the response: the real status, and each header by its name in lower case with
 * `_` for `-`. See docs/decisions.md, "Responses".
 */
export const envelopeMembers = (status: number, headers: Headers): Record<string, Json> => {
  const members: Record<string, Json> = { status_code: status };
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    // It concerns the connection, not the response.
    if (lower === 'connection') continue;
    members[lower.replaceAll('-', '_')] = numeric.has(lower) ? Number(value) : value;
  }
  return members;
};
