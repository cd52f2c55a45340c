-- phase: expand
-- How a gate stands is asked with each check, in one statement with others, which the driver cannot prepare: a function's
-- plan is kept by the session.

create function gate_standing(asked text, keys json)
returns table (rev bigint, model text, kept_rev bigint, known text[])
language plpgsql stable
as $$
#variable_conflict use_column
begin
    -- As JSON the number of keys changes no plan; the limit has each key looked up by index.
    return query
    select o.rev, g.model,
        coalesce((select max(a.rev) from {schema}.admission a where a.org_id = g.org_id and a.gate = g.name), 0),
        (select array_agg(array[k.key, v.record::text]) from json_array_elements_text(gate_standing.keys) as k (key)
         cross join lateral (
             select record from {schema}.gate_verdict
             where org_id = g.org_id and gate = g.name and key <> '' and key = k.key limit 1
         ) v)
    from {schema}.gate g join {schema}.org o using (org_id)
    where g.org_id = current_setting('saidonce.org') and g.name = gate_standing.asked;
end
$$;

revoke execute on function gate_standing from public;
grant execute on function gate_standing to saidonce_app;
