-- The servers that use this database, and when each was last seen.

-- +goose Up
CREATE TABLE server_seen (
    id TEXT PRIMARY KEY, -- as its judge.toml has it, or the name of its machine
    instance TEXT NOT NULL, -- of the process: as the holders of leads are named
    epoch BIGINT NOT NULL, -- rises with each process that has the id
    version TEXT NOT NULL,
    address TEXT NOT NULL,
    started BIGINT NOT NULL,
    seen BIGINT NOT NULL -- by the clock of the database's first statement of each announcement
);
