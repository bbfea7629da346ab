-- An index for the record of each hole.

-- +goose Up
CREATE INDEX answer_shortest ON answer (hole, bytes, received) WHERE state = 'standing';
