-- One schema for SQLite and PostgreSQL. Ids are UUIDv7, times microseconds since 1970 in
-- UTC, digests SHA-256 in small hexadecimal digits; JSON is TEXT and is never looked into.
-- Tables with a + are append-only: no query changes or deletes their rows, but for those of
-- what ended long ago.

-- +goose Up
CREATE TABLE setting (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- Who does what only one server may do.
CREATE TABLE leader (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    until BIGINT NOT NULL
);

CREATE TABLE account (
    id TEXT NOT NULL PRIMARY KEY,
    login TEXT NOT NULL UNIQUE,
    display TEXT NOT NULL,
    email TEXT NOT NULL, -- '' for none
    password TEXT NOT NULL, -- its hash; '' for an account that cannot log in
    kind TEXT NOT NULL CHECK (kind IN ('person', 'team', 'tool')),
    session_epoch BIGINT NOT NULL, -- a session of another epoch has ended
    disabled BOOLEAN NOT NULL,
    created BIGINT NOT NULL
);

-- A browser that is logged in.
CREATE TABLE session (
    hash TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES account (id),
    epoch BIGINT NOT NULL, -- of the account, when it logged in
    created BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    agent TEXT NOT NULL -- what the browser calls itself
);
CREATE INDEX session_account ON session (account);

CREATE TABLE grant_role (
    account TEXT NOT NULL REFERENCES account (id),
    scope TEXT NOT NULL, -- site, or contest:<id>
    role TEXT NOT NULL,
    PRIMARY KEY (account, scope, role)
);

CREATE TABLE token (
    id TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL REFERENCES account (id),
    hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    scopes TEXT NOT NULL, -- with spaces between
    created BIGINT NOT NULL,
    last_day BIGINT NOT NULL, -- the start of the day on which it was used last; 0 for never
    expires BIGINT,
    revoked BIGINT
);
CREATE INDEX token_account ON token (account);

-- Which toolchains the workers of a class have: those of the first worker.
CREATE TABLE class (
    name TEXT NOT NULL PRIMARY KEY,
    arch TEXT NOT NULL,
    rung TEXT NOT NULL,
    languages TEXT NOT NULL, -- JSON: id to the identity of the toolchain
    speed TEXT NOT NULL DEFAULT '', -- JSON: of the first machine that was measured
    filled BIGINT NOT NULL
);

-- What lets a worker join, and the first admin in.
CREATE TABLE invite (
    hash TEXT NOT NULL PRIMARY KEY,
    makes TEXT NOT NULL CHECK (makes IN ('worker', 'admin')),
    name TEXT NOT NULL,
    class TEXT NOT NULL,
    guest BOOLEAN NOT NULL,
    uses_left BIGINT NOT NULL,
    made BIGINT NOT NULL,
    made_by TEXT NOT NULL,
    expires BIGINT NOT NULL
);

CREATE TABLE worker (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    nkey TEXT NOT NULL UNIQUE,
    class TEXT NOT NULL,
    guest BOOLEAN NOT NULL, -- what it says counts when a worker says so that is none
    state TEXT NOT NULL CHECK (state IN ('active', 'drained', 'revoked')),
    offer TEXT NOT NULL, -- JSON: what it said last that it can do
    enrolled BIGINT NOT NULL,
    enrolled_by TEXT NOT NULL,
    note TEXT NOT NULL
);

CREATE TABLE blob (
    sha256 TEXT NOT NULL PRIMARY KEY,
    size BIGINT NOT NULL,
    kind TEXT NOT NULL,
    stored BIGINT NOT NULL,
    seen BIGINT NOT NULL
);

CREATE TABLE problem (
    id TEXT NOT NULL PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    owner TEXT NOT NULL REFERENCES account (id),
    bundle TEXT NOT NULL, -- the active one
    config TEXT NOT NULL, -- and the languages and limits that count with it
    sheet TEXT NOT NULL, -- what a page shows of it: a blob; '' for none
    made BIGINT NOT NULL
);

CREATE TABLE bundle (
    problem TEXT NOT NULL REFERENCES problem (id),
    id TEXT NOT NULL,
    manifest TEXT NOT NULL,
    made BIGINT NOT NULL,
    made_by TEXT NOT NULL REFERENCES account (id),
    PRIMARY KEY (problem, id)
);
CREATE INDEX bundle_id ON bundle (id);

CREATE TABLE contest (
    id TEXT NOT NULL PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    format TEXT NOT NULL CHECK (format IN ('practice', 'icpc', 'ioi', 'points')),
    starts BIGINT, -- null: nobody said so yet
    length BIGINT NOT NULL, -- 0 for one that does not end
    freezes BIGINT, -- how long after the start; null for never
    thaw BIGINT, -- when
    finalized BIGINT, -- when
    visibility TEXT NOT NULL CHECK (visibility IN ('public', 'accounts', 'teams', 'staff')),
    settings TEXT NOT NULL, -- JSON
    revision BIGINT NOT NULL, -- rises with each change of what stands above
    next_number BIGINT NOT NULL, -- of its next submission
    last_seq BIGINT NOT NULL, -- of its last row in log
    last_time BIGINT NOT NULL -- of its last event: the next one is later, whatever the clock says
);

CREATE TABLE contest_problem (
    contest TEXT NOT NULL REFERENCES contest (id),
    label TEXT NOT NULL,
    place BIGINT NOT NULL, -- in the order of the problems
    problem TEXT NOT NULL REFERENCES problem (id),
    points BIGINT NOT NULL,
    colour TEXT NOT NULL, -- of its balloons; '' for none
    PRIMARY KEY (contest, label),
    UNIQUE (contest, problem)
);
CREATE INDEX contest_problem_problem ON contest_problem (problem);

-- Who takes part in a contest: one person or several.
CREATE TABLE team (
    id TEXT NOT NULL PRIMARY KEY,
    contest TEXT NOT NULL REFERENCES contest (id),
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    hidden BOOLEAN NOT NULL, -- not on the board
    extra_time BIGINT NOT NULL, -- after the contest's end
    extra_penalty BIGINT NOT NULL, -- minutes
    UNIQUE (contest, number)
);
CREATE TABLE member (
    contest TEXT NOT NULL REFERENCES contest (id),
    account TEXT NOT NULL REFERENCES account (id),
    team TEXT NOT NULL REFERENCES team (id),
    PRIMARY KEY (contest, account)
);

-- +
CREATE TABLE submission (
    id TEXT NOT NULL PRIMARY KEY,
    contest TEXT NOT NULL REFERENCES contest (id),
    team TEXT REFERENCES team (id), -- null where nobody counts
    number BIGINT NOT NULL,
    problem TEXT NOT NULL REFERENCES problem (id),
    account TEXT NOT NULL REFERENCES account (id),
    form_key TEXT NOT NULL, -- the same within ten minutes is the same submission; '' for none
    language TEXT NOT NULL, -- asked for; '' for what the name tells
    entry TEXT NOT NULL, -- what reports call it
    files TEXT NOT NULL, -- JSON: path, size and digest of each
    folder BOOLEAN NOT NULL,
    size BIGINT NOT NULL,
    received BIGINT NOT NULL,
    UNIQUE (contest, number)
);
CREATE INDEX submission_account ON submission (account, number);
CREATE INDEX submission_problem ON submission (problem, number);

-- It changes once: from open to ended. A cancelled one has ended without a verdict.
CREATE TABLE judgement (
    id TEXT NOT NULL PRIMARY KEY, -- the id of its job, too
    submission TEXT NOT NULL REFERENCES submission (id),
    bundle TEXT NOT NULL,
    config TEXT NOT NULL,
    class TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('first', 'borderline', 'guest', 'rejudge')),
    root TEXT NOT NULL, -- the judgement that this one repeats; itself where it is the first
    why TEXT NOT NULL, -- it was repeated; '' for a first one
    started BIGINT NOT NULL,
    ended BIGINT,
    verdict TEXT,
    score TEXT,
    finished TEXT, -- JSON: judge.Finished
    case_rows TEXT, -- JSON: a row for each case
    events TEXT,
    reason TEXT NOT NULL DEFAULT '',
    worker TEXT NOT NULL DEFAULT '',
    version TEXT NOT NULL DEFAULT '',
    machine TEXT NOT NULL DEFAULT '',
    rung TEXT NOT NULL DEFAULT '',
    toolchains TEXT NOT NULL DEFAULT '{}',
    cpu BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX judgement_submission ON judgement (submission);
CREATE INDEX judgement_repeats ON judgement (origin, root) WHERE origin <> 'first';

-- The judgement that counts.
CREATE TABLE standing (
    submission TEXT NOT NULL PRIMARY KEY REFERENCES submission (id),
    judgement TEXT NOT NULL REFERENCES judgement (id)
);

CREATE TABLE flow (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    spec TEXT NOT NULL, -- JSON
    state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed', 'cancelled')),
    reason TEXT NOT NULL,
    owner TEXT NOT NULL REFERENCES account (id),
    made BIGINT NOT NULL,
    done_at BIGINT
);
CREATE INDEX flow_open ON flow (made) WHERE done_at IS NULL;

CREATE TABLE job (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    lane BIGINT NOT NULL,
    class TEXT NOT NULL,
    owner TEXT NOT NULL, -- between whom the judging time is shared: an account, or a flow
    cost BIGINT NOT NULL, -- estimated microseconds of processor time
    start_tag BIGINT NOT NULL, -- the order of the queue: package fair
    spec TEXT NOT NULL, -- JSON: job.Work
    token TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'out', 'done', 'failed', 'cancelled')),
    generation BIGINT NOT NULL,
    tries BIGINT NOT NULL, -- how often it failed, or was given up
    excluded TEXT NOT NULL, -- JSON: workers that must not take it
    made BIGINT NOT NULL,
    out_at BIGINT,
    done_at BIGINT,
    worker TEXT NOT NULL, -- whose result counts
    flow TEXT REFERENCES flow (id),
    part_key TEXT NOT NULL -- of the part that it makes; '' for a judgement
);
CREATE INDEX job_open ON job (state, lane, class, start_tag, id) WHERE done_at IS NULL;
CREATE INDEX job_flow ON job (flow) WHERE flow IS NOT NULL;

-- Fair queueing: the start tag of the job that a lane gave out last, and where each owner's
-- last job of a lane ends.
CREATE TABLE lane (
    lane BIGINT NOT NULL PRIMARY KEY,
    v BIGINT NOT NULL
);
CREATE TABLE turn (
    lane BIGINT NOT NULL,
    owner TEXT NOT NULL,
    finish BIGINT NOT NULL,
    PRIMARY KEY (lane, owner)
);

-- +
CREATE TABLE part (
    flow TEXT NOT NULL REFERENCES flow (id),
    part_key TEXT NOT NULL,
    job TEXT NOT NULL,
    result TEXT NOT NULL, -- JSON: job.Result without its events
    events TEXT NOT NULL, -- digest; '' for none
    at BIGINT NOT NULL,
    PRIMARY KEY (flow, part_key)
);

-- + What happened in a contest, in its order, without gaps. What it was is read from the object.
CREATE TABLE log (
    contest TEXT NOT NULL REFERENCES contest (id),
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    object TEXT NOT NULL,
    op TEXT NOT NULL,
    PRIMARY KEY (contest, seq)
);

-- + What people did, and what they must be told.
CREATE TABLE audit (
    id TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    address TEXT NOT NULL -- '' for none
);

-- An account with what it may do on the whole site.
CREATE VIEW account_role AS
SELECT account.id, account.login, account.display, account.email, account.password, account.kind,
    account.session_epoch, account.disabled, account.created,
    CAST(COALESCE(grant_role.role, '') AS TEXT) AS role
FROM account
LEFT JOIN grant_role ON grant_role.account = account.id AND grant_role.scope = 'site';

-- A submission with what a list says of it.
CREATE VIEW submitted AS
SELECT submission.id, submission.contest, submission.team, submission.number, submission.problem, submission.account,
    submission.language, submission.entry, submission.files, submission.folder, submission.size,
    submission.received, account.login, account.display, problem.slug, judgement.id AS judgement, judgement.verdict,
    judgement.score, judgement.ended, job.state
FROM submission
JOIN account ON account.id = submission.account
JOIN problem ON problem.id = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
JOIN job ON job.id = judgement.id;

-- What a board knows of a submission that counts.
CREATE VIEW counted AS
SELECT submission.id, submission.contest, submission.number, CAST(submission.team AS TEXT) AS team, contest_problem.label,
    submission.received, judgement.ended, judgement.verdict, judgement.score, judgement.finished
FROM submission
JOIN contest_problem ON contest_problem.contest = submission.contest AND contest_problem.problem = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
WHERE submission.team IS NOT NULL;
