-- +goose Up

-- A golf problem whose answers come in for as long as it is open.
CREATE TABLE hole (
    id TEXT NOT NULL PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    problem TEXT NOT NULL REFERENCES problem (id),
    visibility TEXT NOT NULL CHECK (visibility IN ('public', 'accounts', 'staff')),
    shown BOOLEAN NOT NULL, -- who sees the hole reads the answers that stand
    closed BOOLEAN NOT NULL, -- it takes no more answers
    revision BIGINT NOT NULL, -- rises with each change of what stands above
    last_number BIGINT NOT NULL, -- of its last answer
    last_time BIGINT NOT NULL, -- of its last event: the next one is later, whatever the clock says
    made BIGINT NOT NULL
);

CREATE TABLE answer (
    id TEXT NOT NULL PRIMARY KEY,
    hole TEXT NOT NULL REFERENCES hole (id),
    number BIGINT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id),
    form_key TEXT NOT NULL, -- the same within ten minutes is the same answer; '' for none
    file TEXT NOT NULL, -- its name; its bytes are the blob, '' once they were erased
    sha256 TEXT NOT NULL,
    size BIGINT NOT NULL,
    asked TEXT NOT NULL, -- JSON: how it is read and called
    received BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('proving', 'standing', 'greyed', 'refused')),
    flow TEXT NOT NULL, -- that proves it now; '' for none
    verdict TEXT NOT NULL, -- '' while there is none, and where no worker could say
    why TEXT NOT NULL, -- in a line, where it does not stand
    language TEXT NOT NULL, -- id; '' while nobody knows
    name TEXT NOT NULL, -- of the language, with the flags
    flags TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    chars BIGINT NOT NULL,
    events TEXT NOT NULL, -- what its last proof told: a blob; '' for none
    toolchain TEXT NOT NULL, -- the identity of that with which it was proved last
    stood BIGINT, -- when it was first right
    UNIQUE (hole, number)
);
CREATE INDEX answer_flow ON answer (flow) WHERE flow <> '';
CREATE INDEX answer_account ON answer (account, hole, number);
CREATE INDEX answer_standing ON answer (language, toolchain) WHERE state = 'standing';

-- + What became of an answer at each proof.
CREATE TABLE answer_proof (
    answer TEXT NOT NULL REFERENCES answer (id),
    at BIGINT NOT NULL,
    state TEXT NOT NULL, -- of the answer from then on
    verdict TEXT NOT NULL,
    why TEXT NOT NULL,
    toolchain TEXT NOT NULL,
    workers TEXT NOT NULL, -- who said so, with spaces between
    PRIMARY KEY (answer, at)
);

-- A hole with what a list says of it.
CREATE VIEW hole_line AS
SELECT hole.id, hole.slug, hole.name, hole.problem, hole.visibility, hole.shown, hole.closed, hole.revision, hole.last_number, hole.made,
    problem.slug AS problem_slug
FROM hole
JOIN problem ON problem.id = hole.problem;

-- An answer with who sent it.
CREATE VIEW answer_line AS
SELECT answer.id, answer.hole, answer.number, answer.account, answer.file, answer.sha256, answer.size, answer.asked, answer.received, answer.state, answer.flow,
    answer.verdict, answer.why, answer.language, answer.name, answer.flags, answer.bytes, answer.chars, answer.events, answer.toolchain, answer.stood,
    account.display
FROM answer
JOIN account ON account.id = answer.account;
