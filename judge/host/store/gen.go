package store

// After a change in queries, or in a migration that is not released, run `go generate` here. It generates
// internal/query and records from which files. sqlc is a tool and not a dependency of the module. If it is installed
// (go install github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1), tests compare with its output.

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate
//go:generate go test -run TestGeneratedCodeIsOfTheseQueries -update .
