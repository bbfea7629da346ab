-- Balloons of teams that solved a problem. A row stays when its verdict is taken back, so that a balloon
-- that was delivered is not forgotten, and none is delivered twice.

-- +goose Up
CREATE TABLE balloon (
    contest TEXT NOT NULL REFERENCES contest (id),
    team TEXT NOT NULL REFERENCES team (id),
    label TEXT NOT NULL, -- of the problem in the contest
    submission BIGINT NOT NULL, -- number of the accepted one
    at BIGINT NOT NULL, -- when the submission was received
    held TEXT NOT NULL, -- why the balloon must not be delivered; '' if it may
    given_by TEXT REFERENCES account (id),
    given_at BIGINT,
    PRIMARY KEY (contest, team, label)
);
