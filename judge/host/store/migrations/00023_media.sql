-- Pictures and documents of contests, such as logos, photos, and a PDF of all problems.

-- +goose Up
CREATE TABLE media (
    contest TEXT NOT NULL REFERENCES contest (id),
    type TEXT NOT NULL, -- of the object in the Contest API
    object TEXT NOT NULL, -- the id that other systems use; '' for the contest itself
    property TEXT NOT NULL, -- such as logo
    filename TEXT NOT NULL,
    sha256 TEXT NOT NULL, -- the blob
    size BIGINT NOT NULL, -- in bytes
    md5 TEXT NOT NULL,
    mime TEXT NOT NULL,
    width BIGINT NOT NULL, -- in pixels; 0 for a document
    height BIGINT NOT NULL,
    tags TEXT NOT NULL, -- JSON
    scaled BOOLEAN NOT NULL, -- the server made it from another file of the property
    PRIMARY KEY (contest, type, object, filename)
);
