-- figures_by_org: what which organisation holds, of all, in numbers
select org, name, part, n from figures_by_org(%(at)s);
