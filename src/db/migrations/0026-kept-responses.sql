-- Hash of what the API user could see and do when the response was made; null: it was made before this column, or by an instance of the release
-- before, and is shown to API users without restrictions only.
alter table idempotency_keys add view text collate "und-x-icu";
