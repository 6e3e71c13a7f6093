-- Personal tokens: a name, a role, and the digest of a secret that is shown once and kept nowhere.

create table tokens (
    name text primary key, role text not null, digest bytea not null,
    made timestamptz not null default now()
);
alter table head add column tokens bigint not null default 0;  -- how often they have changed
