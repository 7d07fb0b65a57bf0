import type { ColumnType, Generated, Kysely } from 'kysely';
import { withMigration } from '../support/database.ts';

/** The service's tables, and two of its kind that these tests may do with as they like. */
export const fixtureSchema = withMigration(
  '9000-fixture',
  `
  create table shelves (
    tenant_id bigint, id bigint, primary key (tenant_id, id),
    label text not null,
    unique (tenant_id, label)
  );
  select tenant_table('shelves');

  create table books (
    tenant_id bigint, id bigint, primary key (tenant_id, id),
    shelf_id bigint not null,
    title text not null,
    pages integer constraint books_pages_check check (pages > 0),
    isbn text,
    price numeric(12, 2),
    tags jsonb,
    lent boolean not null default false,
    printed_on date,
    created_at timestamptz(0) not null default now(),
    unique (tenant_id, title, isbn),
    foreign key (tenant_id, shelf_id) references shelves
  );
  create index on books (tenant_id, printed_on, id);
  select tenant_table('books');`,
  `
create view books_view with (security_invoker = true) as
select b.tenant_id, b.id, b.title, s.label as "shelf.label"
from books b left join shelves s on s.tenant_id = b.tenant_id and s.id = b.shelf_id;
grant select on books_view to staffing_tenant;`,
);

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
