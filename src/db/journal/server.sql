-- Returns the system identifier and the timeline of the server, which change when the data are restored or moved to another one; empty
-- where it does not say. Transaction ids of two servers cannot be compared.
create function server_identity() returns text language plpgsql stable as $$
begin
  return (select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system());
exception
  when insufficient_privilege or undefined_function or feature_not_supported or object_not_in_prerequisite_state then return '';
end $$;
