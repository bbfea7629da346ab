// Package freeport gives tests addresses of loopback where a server may start, end and start
// again. It does not listen on them: that is for the test.
//
// An address that the kernel chooses (port 0) is good as long as a process listens. While the
// server is down the kernel may give the same port to any connection that goes out, and the
// server does not start again. So ports come from below those that the kernel gives to
// connections (/proc/sys/net/ipv4/ip_local_port_range), and other processes that ask this
// package do not get them: each is held by an abstract socket of its name, which ends with
// the process.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
)

// held are the sockets that hold this process's ports: the garbage collector closes a socket without a reference.
var held sync.Map

// lowest is above the ports that known services use by default.
const lowest = 12000

// Address is an address of loopback, such as "127.0.0.1:12345", that is the caller's until
// its process ends.
func Address(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", Port(t))
}

// Port is the port of such an address.
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

// firstOfConnections is the first port that the kernel gives to connections that go out.
func firstOfConnections() int {
	first := 32768 // where the kernel does not say
	if data, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range"); err == nil {
		_, _ = fmt.Sscan(string(data), &first) // unchanged if that is no number
	}
	return max(first, lowest+1000)
}
