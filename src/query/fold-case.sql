-- Simple case folding where Postgres has no function for it: first the characters that Unicode folds but does not lower, the capital sigma,
-- which is lowered by its position in the word, and the capital I with a dot (kept apart as a noncharacter), which folds to itself.
create function fold_case_by_lower(given text) returns text language sql immutable parallel safe
return lower(translate(given,
  U&'\00B5\0130\017F\0345\03A3\03C2\03D0\03D1\03D5\03D6\03F0\03F1\03F5\1C80\1C81\1C82\1C83\1C84\1C85\1C86\1C87\1C88\1E9B\1FBE\1FD3\1FE3\FB05',
  U&'\03BC\FFFF\0073\03B9\03C3\03C3\03B2\03B8\03C6\03C0\03BA\03C1\03B5\0432\0434\043E\0441\0442\0442\044A\0463\A64B\1E61\03B9\0390\03B0\FB06'
) collate "und-x-icu");

-- The string with the differences of letter case removed by Unicode's simple case folding, for comparisons with `~`.
do $definition$
begin
  if current_setting('server_version_num')::integer >= 180000 then
    execute $function$
create function fold_case(given text) returns text language sql immutable parallel safe
return casefold(given collate "pg_c_utf8")
    $function$;
  else
    execute $function$
create function fold_case(given text) returns text language sql immutable parallel safe
return fold_case_by_lower(given)
    $function$;
  end if;
end
$definition$;
