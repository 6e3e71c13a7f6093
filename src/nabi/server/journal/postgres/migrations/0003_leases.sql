-- Which page has which text, for all servers, and the texts that were given as audits.

create table leases (
    id text primary key, who text not null, tab text not null, process uuid not null,
    heard timestamptz not null default now()
);
create table given (id text primary key);
