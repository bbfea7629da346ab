package queue_test

import (
	"os"

	"github.com/nats-io/nkeys"
)

// exampleKeys are a folder and a key for the example, which has no testing.T.
func exampleKeys() (folder string, seed []byte, public string) {
	folder, err := os.MkdirTemp("", "queue")
	if err != nil {
		panic(err)
	}
	pair, err := nkeys.CreateUser()
	if err != nil {
		panic(err)
	}
	if seed, err = pair.Seed(); err != nil {
		panic(err)
	}
	if public, err = pair.PublicKey(); err != nil {
		panic(err)
	}
	return folder, seed, public
}
