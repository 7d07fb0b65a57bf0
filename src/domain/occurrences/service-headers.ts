/** The headers of webhooks that the service sets; others are configured and can be secret. */
export const serviceHeaders = [
  'user-agent',
  'content-type',
  'content-length',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
] as const;
