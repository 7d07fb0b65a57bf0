-- Returns the result of a check of a candidate. A function that is not inlined, and costs more than to sort: Postgres then calls it for the
-- page that is returned, not for all candidates.
create function candidate_check(passed boolean, reason text) returns jsonb language plpgsql immutable parallel safe cost 100 as $$
begin
  return jsonb_build_object('passed', passed::integer, 'reason', case when not passed then reason end);
end $$;

-- Returns whether clocks that are ahead of UTC by so many seconds, from one instant until another, have shown a local time, or a later one, by
-- an instant. Of several such clocks in a row, one of which has: a time that is skipped is shown from the change on, one that occurs twice from
-- its first occurrence on. It has no subquery, so that Postgres puts it in place.
create function clocks_have_shown(local timestamp, instant timestamptz, since numeric, until numeric, ahead numeric) returns boolean
language sql immutable parallel safe as $$
  select (until is null or extract(epoch from local) - ahead < until)
    and greatest(since, extract(epoch from local) - ahead) <= extract(epoch from instant)
$$;

-- Returns the active employees who are not assigned to an event function, with what the checks find that an assignment has to pass: `can` is
-- what they have answered, and `passed` whether working-time rules are kept. What these say is given: `passed` and `rested` of most employees,
-- and the ids of those of whom the opposite is true; with `among`, only those with these ids are asked for. Without verdicts, eleven hours of
-- rest are what counts. Given, too, are the local days on which a time slot may begin that overlaps the work (`from`, `to`), and the offsets
-- of the time zone where it `begins` and `ends`. Intervals are half-open; an empty one overlaps no other. What is joined has one row for each
-- employee at most, of which Postgres knows: where candidates are counted, it leaves the joins out.
create function checked_candidates(tenant bigint, time_zone text, parent bigint, supplied jsonb)
returns table (
  event_function_id bigint, employee_id bigint, firstname text, lastname text, qualified boolean, free boolean, present boolean,
  can boolean, rested boolean, passed boolean
)
language sql stable as $$
  with place as materialized (
    select f.id, coalesce(f.start, e.start) as begins, coalesce(f."end", e."end") as ends, f.required_qualifications as required,
      coalesce(f.start, e.start) - interval '11 hours' as rests, coalesce(f."end", e."end") + interval '11 hours' as rested
    from event_functions f
    join events e on e.tenant_id = tenant and e.id = f.event_id
    where f.tenant_id = tenant and f.id = parent
  ), booked as (
    select a.employee_id, bool_or(a.effective_start < p.ends and p.begins < a.effective_end and p.begins < p.ends) as collides
    from place p
    join assignments a on a.tenant_id = tenant and assignment_booked(a.status) and a.effective_start < a.effective_end
      and a.effective_start < p.rested and a.effective_end > p.rests
    -- With `offset 0`, the events of these few are looked up; without, all event functions are read and hashed.
    where exists (
      select from event_functions f
      join events e on e.tenant_id = tenant and e.id = f.event_id and not event_aborted(e.status)
      where f.tenant_id = tenant and f.id = a.event_function_id offset 0
    )
    group by a.employee_id
  ), absent as (
    select distinct b.employee_id
    from place p
    join busy_dates b on b.tenant_id = tenant and b.start < p.ends and p.begins < b."end" and b.start < b."end" and p.begins < p.ends
  ), offsets as materialized (
    -- By the server's data of the time zone: the database may have older ones.
    select e.edge, o.since, o.until, o.ahead
    from (values ('begins'), ('ends')) e(edge)
    cross join lateral jsonb_to_recordset(supplied -> e.edge) o(since numeric, until numeric, ahead numeric)
  ), said as (
    -- What employees have answered: whether they are available for all of their time slots that overlap it. A slot ends on the next day unless
    -- its end is after its start, so that one of the previous day may overlap.
    select distinct on (s.employee_id) s.employee_id, s.can
    from place p
    cross join lateral (
      select r.employee_id, bool_and(x.answer -> 'available' = '1') as can
      from availability_requests r
      join availability_requests_availabilities v on v.tenant_id = tenant and v.availability_request_id = r.id
      join availability_requests_definitions d on d.tenant_id = tenant and d.availability_request_id = r.id
      cross join lateral jsonb_path_query(
        v.availabilities, '$[*] ? (@.date >= $from && @.date <= $to)',
        jsonb_build_object('from', supplied -> 'from', 'to', supplied -> 'to')
      ) x(answer)
      cross join lateral jsonb_path_query(
        d.time_slots, '$[*] ? (@.id == $id)', jsonb_build_object('id', x.answer -> 'time_slot_id')
      ) s(slot)
      cross join lateral (
        select (x.answer ->> 'date')::date as day, (s.slot ->> 'from')::time as opens, (s.slot ->> 'to')::time as closes
      ) t
      where r.tenant_id = tenant
        and (r."from" is null or r."from" <= (supplied ->> 'to')::date)
        and (r."to" is null or r."to" >= (supplied ->> 'from')::date)
        and exists (
          select from offsets o
          where o.edge = 'ends' and clocks_have_shown(t.day + t.opens, p.ends - interval '1 second', o.since, o.until, o.ahead)
        )
        and not exists (
          select from offsets o
          where o.edge = 'begins' and clocks_have_shown(
            t.day + t.closes + case when t.closes > t.opens then interval '0' else interval '1 day' end, p.begins, o.since, o.until, o.ahead
          )
        )
      group by r.employee_id
    ) s
  )
  select p.id, w.id, w.firstname, w.lastname, w.qualifications @> p.required, b.collides is not true, o.employee_id is null, s.can,
    case
      when (select supplied -> 'passed' is null) then b.employee_id is null
      else (select (supplied ->> 'rested')::boolean) = (w.id not in (select x::bigint from jsonb_array_elements_text(supplied -> 'rested_but') x))
    end,
    case
      when (select supplied -> 'passed' is null) then b.employee_id is null
      else (select (supplied ->> 'passed')::boolean) = (w.id not in (select x::bigint from jsonb_array_elements_text(supplied -> 'passed_but') x))
    end
  from place p
  join employees w on w.tenant_id = tenant and w.status = 4
  left join booked b on b.employee_id = w.id
  left join absent o on o.employee_id = w.id
  left join said s on s.employee_id = w.id
  -- Not an outer join: it would be estimated to leave one employee, for whom the joins above would look into every row.
  where w.id not in (select a.employee_id from assignments a where a.tenant_id = tenant and a.event_function_id = parent)
    and (supplied -> 'among' is null or w.id = any(translate(supplied ->> 'among', '[]', '{}')::bigint[]))
$$;

-- Returns them with the results of the checks. A function of its own, since Postgres makes one query of it and of what the listing asks.
create function candidates(tenant bigint, time_zone text, parent bigint, supplied jsonb)
returns table (
  event_function_id bigint, employee_id bigint, firstname text, lastname text, score integer, qualified jsonb, free jsonb,
  available jsonb, availability text, rested jsonb, rules jsonb
)
language sql stable as $$
  select c.event_function_id, c.employee_id, c.firstname, c.lastname,
    c.qualified::integer + c.free::integer + (c.present and c.can is not false)::integer + c.passed::integer,
    candidate_check(c.qualified, 'not_qualified'),
    candidate_check(c.free, 'double_booked'),
    candidate_check(c.present and c.can is not false, case when c.present then 'unavailable' else 'absent' end),
    case c.can when true then 'available' when false then 'unavailable' else 'not_answered' end,
    candidate_check(c.rested, 'rest_time'),
    -- The server has the values.
    case when (select supplied -> 'passed' is not null) then '{}'::jsonb end
  from checked_candidates(tenant, time_zone, parent, supplied) c
$$;
