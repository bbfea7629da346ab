package server

import (
	"net"
	"net/netip"
	"slices"
	"sync"

	"assay/judge/host/intake"
)

// A limitedListener closes connections that exceed a limit. The limit per network does not apply to trusted
// proxies.
type limitedListener struct {
	net.Listener
	proxies []netip.Prefix
	network intake.Limit // limit per network, which may belong to a whole school
	server  intake.Limit
	open    intake.Counter
}

// Accept returns the next connection within the limits.
func (c *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, is := conn.(*net.TCPConn); is {
			if leave := c.admit(tcp.RemoteAddr().String()); leave != nil {
				return &countedConn{tcp, leave}, nil
			}
		}
		conn.Close() // without a response, which would cost too much
	}
}

// admit counts a connection from an address until the caller calls leave. If the connection exceeds a limit, enter
// does not count it and returns nil.
func (c *limitedListener) admit(address string) (release func()) {
	at, _ := netip.ParseAddrPort(address)
	of := c.network
	if slices.ContainsFunc(c.proxies, func(p netip.Prefix) bool { return p.Contains(at.Addr().Unmap()) }) {
		of = c.server
	}
	if release, _ = c.open.Acquire(intake.Network(address).String(), of, c.server); release == nil {
		return nil
	}
	return sync.OnceFunc(release)
}

// A countedConn is a connection that is counted until it is closed.
type countedConn struct {
	*net.TCPConn
	release func()
}

// Close closes the connection.
func (v *countedConn) Close() error {
	v.release()
	return v.TCPConn.Close()
}
