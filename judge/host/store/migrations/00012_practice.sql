-- +goose Up

-- What practice with the problem shows: off, verdict, samples, all; '' is what the server says.
ALTER TABLE problem ADD COLUMN practice TEXT NOT NULL DEFAULT '';
