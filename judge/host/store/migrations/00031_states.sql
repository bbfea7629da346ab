-- The origins of judgements and the states of golf submissions, in the words of the API; an index for the record of each
-- hole.

-- +goose Up
DROP INDEX judgement_repeats;
ALTER TABLE judgement RENAME COLUMN origin TO old_origin;
ALTER TABLE judgement ADD COLUMN origin TEXT NOT NULL DEFAULT 'first'
    CHECK (origin IN ('first', 'near-limit', 'untrusted', 'rejudge'));
UPDATE judgement SET origin = CASE old_origin WHEN 'borderline' THEN 'near-limit' WHEN 'guest' THEN 'untrusted' ELSE old_origin END
WHERE old_origin <> 'first';
ALTER TABLE judgement DROP COLUMN old_origin;
CREATE INDEX judgement_repeats ON judgement (origin, root) WHERE origin <> 'first';

DROP VIEW answer_line;
DROP INDEX answer_standing;
ALTER TABLE answer RENAME COLUMN state TO old_state;
ALTER TABLE answer ADD COLUMN state TEXT NOT NULL DEFAULT 'checking'
    CHECK (state IN ('checking', 'valid', 'invalidated', 'rejected'));
UPDATE answer SET state = CASE old_state
    WHEN 'standing' THEN 'valid' WHEN 'greyed' THEN 'invalidated' WHEN 'refused' THEN 'rejected' ELSE 'checking' END;
ALTER TABLE answer DROP COLUMN old_state;
CREATE INDEX answer_valid ON answer (language, toolchain) WHERE state = 'valid';
CREATE INDEX answer_shortest ON answer (hole, bytes, received) WHERE state = 'valid';

UPDATE answer_proof SET state = CASE state
    WHEN 'proving' THEN 'checking' WHEN 'standing' THEN 'valid' WHEN 'greyed' THEN 'invalidated' WHEN 'refused' THEN 'rejected'
    ELSE state END;

-- A golf submission with the name of its account.
CREATE VIEW answer_line AS
SELECT answer.id, answer.hole, answer.number, answer.account, answer.file, answer.sha256, answer.size, answer.asked, answer.received, answer.state, answer.flow,
    answer.verdict, answer.why, answer.language, answer.name, answer.flags, answer.bytes, answer.chars, answer.events, answer.toolchain, answer.stood,
    account.display
FROM answer
JOIN account ON account.id = answer.account;
