-- The color of balloons, in American spelling.

-- +goose Up
ALTER TABLE contest_problem RENAME COLUMN colour TO color;
