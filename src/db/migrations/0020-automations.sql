-- The position in the journal up to which an automation passes over changes of records: what happened while it could not run.
alter table automations add since bigint not null default 0;
