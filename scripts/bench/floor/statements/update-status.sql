-- Another status of an assignment.
update assignments set status = $3, updated_at = date_trunc('second', now()) where tenant_id = $1 and id = any(array[$2::bigint]) returning id, external_id
