package server

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"assay/judge/host/intake"
)

// TestConnectionsAreBounded checks the limits of connections per network and in total, and that closing one makes
// room. Only the total limit applies to proxies.
func TestConnectionsAreBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		c    *limitedListener
		open int // of five
	}{
		"one network": {&limitedListener{network: intake.Limit{Max: 2}, server: intake.Limit{Max: 9}}, 2},
		"all":         {&limitedListener{network: intake.Limit{Max: 9}, server: intake.Limit{Max: 3}}, 3},
		"a proxy": {&limitedListener{network: intake.Limit{Max: 2}, server: intake.Limit{Max: 4},
			proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			c := tt.c
			c.Listener = l
			accepted := make(chan net.Conn)
			ended := make(chan error, 1)
			go func() {
				for {
					conn, err := c.Accept()
					if err != nil {
						ended <- err
						return
					}
					accepted <- conn
				}
			}()
			dial := func() net.Conn {
				t.Helper()
				conn, err := net.Dial("tcp", l.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = conn.Close() })
				return conn
			}
			next := func() net.Conn {
				t.Helper()
				select {
				case conn := <-accepted:
					t.Cleanup(func() { _ = conn.Close() })
					return conn
				case <-time.After(2 * time.Minute):
					t.Fatal("no connection is taken")
					return nil
				}
			}
			closed := func(conn net.Conn) {
				t.Helper()
				if err := conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
					t.Fatal(err)
				}
				if _, err := conn.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("one too many is not closed: %v", err)
				}
			}
			var first net.Conn
			for i := range 5 {
				conn := dial()
				if i < tt.open {
					first = next()
					continue
				}
				closed(conn)
			}
			_, _ = first.Close(), first.Close() // counts only once
			dial()
			next()
			closed(dial())
			_ = l.Close()
			if err := <-ended; !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
		})
	}
}
