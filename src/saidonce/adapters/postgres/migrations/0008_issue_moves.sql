-- Moves of issues on the board: the program may read them and append to them, and nothing else.

create table issue_move (
    org_id text collate "C" not null,
    issue_id text collate "C" not null,
    n bigint not null check (n > 0),
    at timestamptz not null,
    actor text not null,
    state_before text not null check (state_before in ('open', 'in_progress', 'done', 'cancelled')),
    state_after text not null check (state_after in ('open', 'in_progress', 'done', 'cancelled')),
    looked_at text not null,
    primary key (org_id, issue_id, n),
    foreign key (org_id, issue_id) references issue
);

alter table issue_move enable row level security, force row level security;
create policy own_org on issue_move to saidonce_app using (org_id = current_setting('saidonce.org', true));
grant select, insert on issue_move to saidonce_app;
