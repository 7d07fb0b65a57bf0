-- Breaches of working-time rules that only warned, of a row that was written.
alter table import_results add column warnings jsonb not null default '[]';
