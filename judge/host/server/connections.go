package server

import (
	"net"
	"net/netip"
	"slices"
	"sync"

	"assay/judge/host/desk"
)

// A boundedListener closes connections beyond a limit. Machines of trusted proxies may use all connections.
type boundedListener struct {
	net.Listener
	proxies []netip.Prefix
	network desk.Limit // of one network, which may be that of a school
	server  desk.Limit
	open    desk.Counter
}

// Accept returns the next connection within the limit.
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
		conn.Close() // without a response, which would cost what the limit saves
	}
}

// enter counts a connection from an address until leave is called. If leave is nil, the connection exceeds the
// limit.
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

// A countedConn counts until it is closed.
type countedConn struct {
	*net.TCPConn
	leave func()
}

// Close closes the connection.
func (v *countedConn) Close() error {
	v.leave()
	return v.TCPConn.Close()
}
