import { flag, integer, networks, type Variable } from '../variable.ts';

/** The variables of work in the background: conflicts, imports, automations and webhooks. */
export const automations = [
  {
    name: 'AUTOMATIONS',
    description:
      'Whether this process runs automations; `false` for instances that only serve requests. Triggered automations are kept in the database until an instance runs them.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'CONFLICTS',
    description:
      'Whether this process finds conflicts; `false` for instances that only serve requests. Without any that does, `/conflicts` stays as it is.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'IMPORTS',
    description:
      'Whether this process processes imports; `false` for instances that only serve requests. Imports are kept in the database until an instance processes them.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'WEBHOOK_TIMEOUT',
    description: 'Seconds to wait for the response to a webhook.',
    default: '10',
    example: '5',
    ...integer(1, 60),
  },
  {
    name: 'WEBHOOK_ATTEMPTS',
    description: 'Maximum number of attempts to send a webhook, with pauses that grow from seconds to a day.',
    default: '10',
    example: '5',
    ...integer(1, 30),
  },
  {
    name: 'WEBHOOK_NETWORKS',
    description:
      'Private IP addresses or networks that webhooks may be sent to, separated by commas; without it only public IP addresses.',
    example: '10.1.0.0/16',
    ...networks,
  },
  {
    name: 'WEBHOOK_HTTP',
    description: 'Whether webhooks may be sent over plain HTTP.',
    default: 'false',
    example: 'true',
    ...flag,
  },
  {
    name: 'DELIVERY_LIMIT',
    description: 'Maximum number of deliveries of automations that this process attempts at once.',
    default: '200',
    example: '100',
    ...integer(1, 10_000),
  },
  {
    name: 'DELIVERY_TENANT_LIMIT',
    description: 'Maximum number of deliveries that are attempted at once for one tenant, by all processes together.',
    default: '10',
    example: '5',
    ...integer(1, 10_000),
  },
  {
    name: 'DELIVERY_HOST_LIMIT',
    description:
      'Maximum number of webhooks that are sent to one host at once, by all processes and for all tenants together.',
    default: '20',
    example: '10',
    ...integer(1, 10_000),
  },
] as const satisfies readonly Variable[];
