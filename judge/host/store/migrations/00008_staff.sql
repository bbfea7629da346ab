-- +goose Up
-- What staff decided about a submission: that it is ignored, or another verdict. The last one
-- holds.
-- +
CREATE TABLE mark (
    id TEXT NOT NULL PRIMARY KEY,
    submission TEXT NOT NULL REFERENCES submission (id),
    at BIGINT NOT NULL,
    ignored BOOLEAN NOT NULL,
    verdict TEXT NOT NULL, -- '' for that of the judging
    why TEXT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id)
);
CREATE INDEX mark_submission ON mark (submission, id);

-- The mark that holds, and the verdict that comes of it: 'open' while there is none, '' where
-- there will be none. With the contest and the number it is found among many.
ALTER TABLE standing ADD COLUMN contest TEXT NOT NULL DEFAULT '';
ALTER TABLE standing ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE standing ADD COLUMN ignored BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE standing ADD COLUMN given TEXT NOT NULL DEFAULT '';
ALTER TABLE standing ADD COLUMN verdict TEXT NOT NULL DEFAULT 'open';
UPDATE standing SET contest = (SELECT submission.contest FROM submission WHERE submission.id = standing.submission),
    number = (SELECT submission.number FROM submission WHERE submission.id = standing.submission),
    verdict = (SELECT CASE WHEN judgement.ended IS NULL THEN 'open' ELSE COALESCE(judgement.verdict, '') END
        FROM judgement WHERE judgement.id = standing.judgement);
CREATE INDEX submission_team ON submission (team, number) WHERE team IS NOT NULL;
-- All that a filter of submissions looks at, so that it need not read their long rows.
CREATE INDEX submission_filter ON submission (contest, number, problem, account, team, language, ending, id);
CREATE INDEX standing_verdict ON standing (contest, verdict, number);

-- By which a board is filtered: names with commas between them.
ALTER TABLE team ADD COLUMN team_groups TEXT NOT NULL DEFAULT '';

-- Who is about to answer a question.
CREATE TABLE clarification_claim (
    contest TEXT NOT NULL,
    number BIGINT NOT NULL,
    account TEXT NOT NULL REFERENCES account (id),
    at BIGINT NOT NULL,
    PRIMARY KEY (contest, number),
    FOREIGN KEY (contest, number) REFERENCES clarification (contest, number)
);

DROP VIEW submitted;
CREATE VIEW submitted AS
SELECT submission.id, submission.contest, submission.team, submission.number, submission.problem, submission.account,
    submission.language, submission.entry, submission.files, submission.folder, submission.size,
    submission.received, account.login, account.display, problem.slug, judgement.id AS judgement,
    judgement.verdict, judgement.score, judgement.ended, job.state, standing.ignored, standing.given
FROM submission
JOIN account ON account.id = submission.account
JOIN problem ON problem.id = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
JOIN job ON job.id = judgement.id;

DROP VIEW counted;
CREATE VIEW counted AS
SELECT submission.id, submission.contest, submission.number, CAST(submission.team AS TEXT) AS team, contest_problem.label,
    submission.received, judgement.ended, judgement.verdict, judgement.score, judgement.finished, standing.ignored, standing.given
FROM submission
JOIN contest_problem ON contest_problem.contest = submission.contest AND contest_problem.problem = submission.problem
JOIN standing ON standing.submission = submission.id
JOIN judgement ON judgement.id = standing.judgement
WHERE submission.team IS NOT NULL;
