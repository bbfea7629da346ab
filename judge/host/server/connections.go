package server

import (
	"net"
	"net/netip"
	"slices"
	"sync"

	"assay/judge/host/desk"
)

// boundedListener closes connections beyond the most at once. From machines of proxies
// there may be as many as of all.
type boundedListener struct {
	net.Listener
	proxies []netip.Prefix
	network desk.Limit // of one network, which may be that of a school
	server  desk.Limit
	open    desk.Counter
}

// Accept waits for the next connection that is not one too many.
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
		conn.Close() // it is told nothing: an answer would cost what the bound saves
	}
}

// enter counts a connection from an address until leave is called; leave is nil where it is one
// too many.
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

// countedConn is a connection that is counted until it is closed.
type countedConn struct {
	*net.TCPConn
	leave func()
}

// Close closes the connection.
func (v *countedConn) Close() error {
	v.leave()
	return v.TCPConn.Close()
}
