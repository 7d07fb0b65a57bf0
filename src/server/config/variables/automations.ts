import { flag, integer, text, type Variable } from '../variable.ts';

/** What automations may do. */
export const automations = [
  {
    name: 'AUTOMATIONS',
    description:
      'Whether this process does the work of automations; `false` for instances that only answer requests. What sets automations off is kept in the database until one does.',
    default: 'true',
    example: 'false',
    ...flag,
  },
  {
    name: 'WEBHOOK_TIMEOUT',
    description: 'Seconds that the receiver of a webhook may take.',
    default: '10',
    example: '5',
    ...integer(1, 60),
  },
  {
    name: 'WEBHOOK_ATTEMPTS',
    description: 'How often a webhook is sent that is not accepted, with pauses that grow from seconds to a day.',
    default: '10',
    example: '5',
    ...integer(1, 30),
  },
  {
    name: 'WEBHOOK_NETWORKS',
    description:
      'Private addresses or networks that webhooks may be sent to all the same, separated by commas; without it only public addresses.',
    default: null,
    example: '10.1.0.0/16',
    schema: text(),
    expected: 'IP addresses or networks (address/prefix), separated by commas',
  },
  {
    name: 'WEBHOOK_HTTP',
    description: 'Whether webhooks may be sent over plain HTTP.',
    default: 'false',
    example: 'true',
    ...flag,
  },
] as const satisfies readonly Variable[];
