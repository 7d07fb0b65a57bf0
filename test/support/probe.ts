import type { Field, Resource } from '../../src/core/resource/resource.ts';

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  name,
  type,
  access: 'write',
  nullable: true,
  ...more,
});

/** A resource for tests, not in the spec, with a nullable field of every type. */
export const probe: Resource = {
  name: 'probes',
  singular: 'probe',
  table: 'probes',
  source: 'probes',
  key: 'id',
  module: null,
  dynamic: null,
  inactive: null,
  keepsDeleted: false,
  ruled: false,
  fields: [
    { name: 'id', type: 'integer', access: 'read' },
    field('whole', 'integer'),
    field('amount', 'number', { scale: 2 }),
    field('flag', 'flag'),
    field('word', 'text'),
    field('day', 'date'),
    field('moment', 'date_time'),
    field('ids', 'json', { items: 'integer' }),
    field('parent_id', 'integer', { references: 'probes' }),
    { name: 'parent.word', type: 'text', access: 'read', computed: true },
  ],
  relations: [
    { name: 'probeParent', short: 'parent', resource: 'probes', from: 'parent_id', to: 'id', many: false },
    { name: 'probeChildren', short: 'children', resource: 'probes', from: 'id', to: 'parent_id', many: true },
  ],
  aliases: [],
};
