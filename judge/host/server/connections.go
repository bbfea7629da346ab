package server

import (
	"net"
	"net/netip"
	"slices"
	"sync"

	"assay/judge/host/desk"
)

// A boundedListener closes connections that exceed a limit. The limit per network does not apply to trusted
// proxies.
type boundedListener struct {
	net.Listener
	proxies []netip.Prefix
	network desk.Limit // limit per network, which may belong to a whole school
	server  desk.Limit
	open    desk.Counter
}

// Accept returns the next connection within the limits.
func (c *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if tcp, is := conn.(*net.TCPConn); is {
			if leave := c.enter(tcp.RemoteAddr().String()); leave != nil {
				return &countedConn{tcp, leave}, nil
			}
		}
		conn.Close() // without a response, which would cost too much
	}
}

// enter counts a connection from an address until the caller calls leave. If the connection exceeds a limit, enter
// does not count it and returns nil.
func (c *boundedListener) enter(address string) (leave func()) {
	at, _ := netip.ParseAddrPort(address)
	of := c.network
	if slices.ContainsFunc(c.proxies, func(p netip.Prefix) bool { return p.Contains(at.Addr().Unmap()) }) {
		of = c.server
	}
	if leave, _ = c.open.Enter(desk.Network(address).String(), of, c.server); leave == nil {
		return nil
	}
	return sync.OnceFunc(leave)
}

// A countedConn is a connection that is counted until it is closed.
type countedConn struct {
	*net.TCPConn
	leave func()
}

// Close closes the connection.
func (v *countedConn) Close() error {
	v.leave()
	return v.TCPConn.Close()
}
