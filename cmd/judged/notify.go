package main

import (
	"fmt"
	"net"
	"os"
)

// notify sends systemd the state of a service: "READY=1" or "STOPPING=1". If systemd did not start it, notify does
// nothing.
func notify(state string) error {
	at := os.Getenv("NOTIFY_SOCKET") // a path, or an abstract name that begins with @
	if at == "" {
		return nil
	}
	conn, err := net.Dial("unixgram", at)
	if err != nil {
		return fmt.Errorf("tell systemd %s: %w", state, err)
	}
	defer conn.Close()
	_, err = conn.Write([]byte(state))
	return err
}
