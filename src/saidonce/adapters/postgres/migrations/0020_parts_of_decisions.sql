-- The parts of a bulk decision, a rule or the revert of one, by the number of the whole.

create index decision_within on decision (org_id, ((detail::json ->> 'within')::bigint))
    where detail like '%"within":%';
