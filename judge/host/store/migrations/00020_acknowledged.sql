-- Differences between a contest and its primary with which the results may become final.

-- +goose Up
ALTER TABLE external_source ADD COLUMN acknowledged TEXT NOT NULL DEFAULT '[]'; -- the differences, as JSON
