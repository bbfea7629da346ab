// Contestants' programs are judged, not built with the judge: this file keeps
// `go build ./...` and `go vet ./...` out of this folder.
module solutions

go 1.26
