// Package query holds the queries of the store, as sqlc makes them of ../../queries and
// ../../migrations. Code here is not written by hand: see gen.go of the store.
package query
