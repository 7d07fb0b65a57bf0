import type { ColumnType, Generated, Kysely } from 'kysely';
import type { Migrations } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { type Definitions, tenantTable, tenantView } from '../../src/db/schema.ts';

/** The service's tables, and two of its kind that these tests may do with as they like. */
export const fixtureMigrations: Migrations = {
  ...migrations,
  '9000-fixture': {
    up: async (db: Definitions) => {
      await tenantTable(db, 'shelves', { columns: { label: 'text not null' }, unique: [['label']] });
      await tenantTable(db, 'books', {
        columns: {
          shelf_id: 'bigint not null',
          title: 'text not null',
          pages: 'integer constraint books_pages_check check (pages > 0)',
          isbn: 'text',
          price: 'numeric(12,2)',
          tags: 'jsonb',
          lent: 'boolean not null default false',
          printed_on: 'date',
          created_at: 'timestamptz(0) not null default now()',
        },
        references: { shelf_id: 'shelves' },
        unique: [['title', 'isbn']],
        indexes: [['printed_on', 'id']],
      });
      await tenantView(
        db,
        'books_view',
        `select b.tenant_id, b.id, b.title, s.label as "shelf.label"
         from books b left join shelves s on s.tenant_id = b.tenant_id and s.id = b.shelf_id`,
      );
    },
  },
};

interface FixtureTables {
  shelves: { tenant_id: Generated<number>; id: Generated<number>; label: string };
  books: {
    tenant_id: Generated<number>;
    id: Generated<number>;
    shelf_id: number;
    title: string;
    pages: number | null;
    isbn: string | null;
    price: string | null;
    tags: ColumnType<unknown, string | undefined, string>;
    lent: Generated<boolean>;
    printed_on: string | null;
    created_at: Generated<string>;
  };
  books_view: { tenant_id: number; id: number; title: string; 'shelf.label': string };
}

/** The fixture's tables are not among those that the API's specification declares. */
export const fixtureTables = (kysely: object): Kysely<FixtureTables> => kysely as Kysely<FixtureTables>;
