-- Which server has written the journal: its system identifier and timeline, empty where it does not say, null until it is first asked.
alter table journal_heads add column server text collate "und-x-icu";
-- Now a definition: src/db/journal/progress.sql.
drop function journal_progress(bigint[]);
