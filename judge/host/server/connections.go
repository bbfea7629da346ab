package server

import (
	"net"
	"net/netip"
	"slices"
	"sync"

	"assay/judge/host/desk"
)

// The most connections at one time: from one network, which may be that of a school, and of all.
// One that only waits takes 60 KB of memory.
const (
	mostFromNetwork = 4_000
	mostConnections = 20_000
)

// boundedListener closes connections beyond the most at once. From machines of proxies
// there may be as many as of all.
type boundedListener struct {
	net.Listener
	proxies []netip.Prefix
	network int // the most from one network
	most    int // and of all

	mu  sync.Mutex
	of  map[netip.Prefix]int
	all int
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
	from := desk.Network(address)
	at, _ := netip.ParseAddrPort(address)
	proxy := slices.ContainsFunc(c.proxies, func(p netip.Prefix) bool { return p.Contains(at.Addr().Unmap()) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all >= c.most || c.of[from] >= c.network && !proxy {
		return nil
	}
	c.of[from]++
	c.all++
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all--
		if c.of[from]--; c.of[from] == 0 {
			delete(c.of, from)
		}
	})
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
