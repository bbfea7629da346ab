// Package freeport gives tests loopback addresses on which a server can start, stop and start again. The package
// does not listen on them.
//
// A port chosen by the kernel (port 0) is reserved only while a process listens on it. While the server is down,
// the kernel may assign the port to any outgoing connection, and the server cannot start again. Therefore ports
// come from below the range that the kernel uses for connections (/proc/sys/net/ipv4/ip_local_port_range). An
// abstract socket with the port in its name, which disappears when the process exits, reserves the port from other
// processes that use this package.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
)

// held contains the sockets that reserve this process's ports. Without a reference, the garbage collector would
// close them.
var held sync.Map

// lowest is above the default ports of well-known services.
const lowest = 12000

// Address returns a loopback address, such as "127.0.0.1:12345", that is reserved for the caller until its process
// exits.
func Address(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", Port(t))
}

// Port returns the port of such an address.
func Port(t testing.TB) int {
	t.Helper()
	below := firstOfConnections()
	for range 1000 {
		port := lowest + rand.IntN(below-lowest)
		holds, err := net.Listen("unix", fmt.Sprintf("@assay-test-port-%d", port))
		if err != nil {
			continue
		}
		held.Store(port, holds)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatalf("no port of loopback from %d to %d is free", lowest, below-1)
	return 0
}

// firstOfConnections returns the first port that the kernel may assign to outgoing connections.
func firstOfConnections() int {
	first := 32768 // the default if the kernel does not report it
	if data, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		_, _ = fmt.Sscan(string(data), &first) // if this fails, first does not change
	}
	return max(first, lowest+1000)
}
