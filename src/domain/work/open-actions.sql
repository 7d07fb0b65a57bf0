-- Returns one open action as JSON text; concatenated, which takes less than building.
create function open_action(type text, due timestamptz, mandatory boolean, path text) returns text
language sql stable parallel safe
return '{"type": "' || type
  || '", "due": ' || coalesce('"' || to_char(due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '"', 'null')
  || ', "mandatory": ' || case when mandatory then '1' else '0' end
  || ', "href": "/api/v1/' || path || '"}';

-- Returns the open actions of an assignment as JSON text: the type json would parse it. In PL/pgSQL: a call with an argument that reads
-- tables cannot be inlined.
create function open_actions(assignment bigint, actions text[]) returns text
language plpgsql stable parallel safe as $$
begin
  return '{"assignment_id": ' || assignment || ', "count": ' || cardinality(actions)
    || ', "actions": [' || array_to_string(actions, ', ') || ']}';
end $$;

-- Returns the same of an assignment without any, as most are.
create function no_open_actions(assignment bigint) returns text
language sql stable parallel safe
return '{"assignment_id": ' || assignment::text || ', "count": 0, "actions": []}';

-- Returns the open actions of an assignment, in this order. What is true of its own records may be null where it has no part in any. Each of
-- these is used once, so that a query can put its subquery in place of it, and reads only what it needs: `begun` is `checked_in` again.
create function assignment_open_actions(assignment bigint, state integer, approved boolean, correction jsonb, starts timestamptz, ends timestamptz,
  event_state integer, event jsonb, project jsonb, form_ids jsonb, employee_state integer, conflict boolean, unsigned_contract bigint, checked_in boolean,
  checked_out boolean, begun boolean, proposed boolean, worked boolean, signed boolean, completed_form_ids jsonb) returns text
language sql stable parallel safe
return case when assignment_holding(state) and not event_aborted(event_state) then open_actions(assignment, array_remove(array[
    case when state = 6 and not approved and configuration_enabled('confirmation', event, project)
      then open_action('confirm', starts, true, 'assignments/' || assignment || '/status') end,
    case when not approved and (starts < ends and conflict or employee_ended(employee_state))
      then open_action('resolve_conflict', starts, true, 'assignments/' || assignment || '/status') end,
    -- Null without an unsigned contract.
    case when assignment_booked(state)
      then open_action('sign_contract', starts, true, 'assignment-contract/' || unsigned_contract) end,
    case when assignment_booked(state) and not approved and checkin_required('1', event, project) and not checked_in
      then open_action('check_in', starts, true, 'checkins') end,
    case when assignment_booked(state) and not approved and checkin_required('4', event, project) and not checked_out
      and (not checkin_required('1', event, project) or begun)
      then open_action('check_out', ends, true, 'checkins') end,
    case when assignment_booked(state) and not approved and configuration_enabled('work_time_proposals', event, project)
      and not proposed and not worked
      then open_action('submit_work_time', ends,
        configuration_setting('work_time_proposals', 'mandatory', event, project) = '1', 'work-time-proposals') end,
    case when assignment_booked(state) and not approved and configuration_enabled('signed_work_data', event, project)
      and not signed
      then open_action('sign_work_data', ends, true, 'assignments/signed-work-data') end,
    -- The forms are null if there are none.
    case when assignment_booked(state) and configuration_enabled('reporting_forms', event, project)
      and not coalesce(completed_form_ids, '[]') @> form_ids
      then open_action('submit_report', ends,
        configuration_setting('reporting_forms', 'mandatory', event, project) = '1', 'assignment-employment-reports') end,
    case when correction is not null then open_action('finish_correction', null, true, 'assignments/' || assignment || '/approve') end
  ], null)) else no_open_actions(assignment) end;
