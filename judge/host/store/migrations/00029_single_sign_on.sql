-- Logins by an OpenID Connect provider.

-- +goose Up
-- Who an account is for a provider. An account can have several identities.
CREATE TABLE identity (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL, -- as the provider names the person; never an e-mail address that may change hands
    account TEXT NOT NULL REFERENCES account (id),
    made BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_account ON identity (account);

-- Logins that came back from the provider, so that none counts twice. One without an account keeps who
-- the person is until they create one or choose theirs.
CREATE TABLE sign_on (
    hash TEXT NOT NULL PRIMARY KEY, -- of what the browser keeps
    issuer TEXT NOT NULL, -- this and the next ones are empty once the login has an account
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    username TEXT NOT NULL,
    role TEXT NOT NULL,
    next TEXT NOT NULL, -- the page to which the login leads
    expires BIGINT NOT NULL
);
