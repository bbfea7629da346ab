package store

// Change a file in queries or a migration that is not released, then run `go generate` here:
// it makes internal/query anew and notes of what it was made. sqlc is a tool and no
// dependency of the module; where it is installed (go install
// github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1) the tests compare with what it makes.

//go:generate go run github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1 generate
//go:generate go test -run TestGeneratedCodeIsOfTheseQueries -update .
