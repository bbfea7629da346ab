-- Ladders: bots of a game that meet for as long as the ladder is open.

-- +goose Up
CREATE TABLE ladder (
    id TEXT NOT NULL PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    problem TEXT NOT NULL REFERENCES problem (id),
    bundle TEXT NOT NULL, -- by which all its games are played
    config TEXT NOT NULL,
    choice TEXT NOT NULL, -- JSON: of rules, as package arena has it
    rules TEXT NOT NULL, -- JSON: as a worker read them; '' until one has
    wrong TEXT NOT NULL, -- why there are no such rules; '' for nothing
    seed TEXT NOT NULL,
    visibility TEXT NOT NULL CHECK (visibility IN ('public', 'accounts', 'staff')),
    open BOOLEAN NOT NULL, -- it takes bots, and they play
    per_account BIGINT NOT NULL, -- bots that one account may have on it
    per_minute BIGINT NOT NULL, -- games that begin, at most; 0 for as many as can
    owner TEXT NOT NULL REFERENCES account (id),
    made BIGINT NOT NULL,
    bots BIGINT NOT NULL, -- the number of the last one
    encounters BIGINT NOT NULL, -- the number of the last one
    last_seq BIGINT NOT NULL, -- rises with all that happens on it
    looks BIGINT NOT NULL, -- how often it was asked whether the ranking is settled, since who plays changed
    next_look BIGINT NOT NULL, -- the number of the encounter after which it is asked again
    settled BOOLEAN NOT NULL
);

-- A bot in one version. Another version is another row with the same name.
CREATE TABLE bot (
    ladder TEXT NOT NULL REFERENCES ladder (id),
    number BIGINT NOT NULL, -- from 1
    account TEXT NOT NULL REFERENCES account (id),
    name TEXT NOT NULL,
    version BIGINT NOT NULL, -- from 1
    form_key TEXT NOT NULL, -- as that of a submission; '' for none
    file TEXT NOT NULL, -- what starts it, among the files: a path, or '' for all of them
    files TEXT NOT NULL, -- JSON: job.File
    state TEXT NOT NULL CHECK (state IN ('checking', 'active', 'paused', 'refused', 'retired')),
    reason TEXT NOT NULL, -- of the state, for people
    told TEXT NOT NULL, -- JSON: the events of its check; '' for none
    flow TEXT NOT NULL, -- of its check; '' for none
    since BIGINT NOT NULL, -- number of the encounter after which it came
    made BIGINT NOT NULL,
    seq BIGINT NOT NULL, -- of the ladder, when it changed last
    PRIMARY KEY (ladder, number)
);
CREATE INDEX bot_account ON bot (account);

-- Games of two bots, the first of which begins the odd ones.
CREATE TABLE encounter (
    ladder TEXT NOT NULL REFERENCES ladder (id),
    number BIGINT NOT NULL, -- from 1
    a BIGINT NOT NULL,
    b BIGINT NOT NULL,
    flow TEXT NOT NULL,
    results TEXT NOT NULL, -- a letter for each game, as the first bot saw it: w, d, l
    faults_a TEXT NOT NULL, -- the kinds of faults that ended games, by the first; with commas
    faults_b TEXT NOT NULL,
    reason TEXT NOT NULL, -- why nothing was played; '' for it was
    records TEXT NOT NULL, -- a blob: lines of the log; '' for none
    worker TEXT NOT NULL,
    made BIGINT NOT NULL,
    ended BIGINT,
    seq BIGINT NOT NULL, -- of the ladder, when it ended; 0 before
    PRIMARY KEY (ladder, number)
);
CREATE INDEX encounter_open ON encounter (ladder, number) WHERE ended IS NULL;
CREATE INDEX encounter_seq ON encounter (ladder, seq);

-- + Who rose and who fell: each change of the places of bots.
CREATE TABLE climb (
    ladder TEXT NOT NULL REFERENCES ladder (id),
    seq BIGINT NOT NULL, -- from 1
    bot BIGINT NOT NULL,
    before BIGINT NOT NULL, -- the place; 0 for none
    place BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (ladder, seq)
);

CREATE INDEX flow_kind ON flow (kind, made);

CREATE VIEW bot_author AS
SELECT bot.*, account.login, account.display, account.disabled
FROM bot
JOIN account ON account.id = bot.account;

CREATE VIEW ladder_game AS
SELECT ladder.*, problem.slug AS game, problem.title, problem.sheet
FROM ladder
JOIN problem ON problem.id = ladder.problem;
