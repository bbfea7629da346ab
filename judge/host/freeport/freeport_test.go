package freeport

import (
	"net"
	"testing"
)

func TestAddressesAreFreeAndGivenOnce(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		a := Address(t)
		if seen[a] {
			t.Fatalf("%s was given twice", a)
		}
		seen[a] = true
		for range 2 { // start a server, stop it, and start it again
			l, err := net.Listen("tcp", a)
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
		}
	}
}

func TestPortsAreNotThoseOfConnections(t *testing.T) {
	for range 200 {
		if p := Port(t); p < lowest || p >= firstOfConnections() {
			t.Fatalf("port %d may be given to a connection", p)
		}
	}
}
