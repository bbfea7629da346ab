package store

// After a change to queries, or to a migration that is not released, run `go generate` here. It generates
// internal/query and records the digest of its input. The tool sqlc is not a dependency of the module. If it is
// installed (go install github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1), tests compare the generated code with its
// output.

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate
//go:generate go test -run TestGeneratedCodeIsOfTheseQueries -update .
