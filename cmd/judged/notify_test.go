package main

import (
	"net"
	"path/filepath"
	"testing"
)

func TestSystemdIsTold(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	if err := notify("READY=1"); err != nil {
		t.Errorf("without a notification socket: %v", err)
	}
	at := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenPacket("unixgram", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	t.Setenv("NOTIFY_SOCKET", at)
	if err := notify("READY=1"); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 100)
	n, _, err := conn.ReadFrom(said)
	if err != nil || string(said[:n]) != "READY=1" {
		t.Errorf("systemd reads %q, %v", said[:n], err)
	}
	t.Setenv("NOTIFY_SOCKET", at+".gone")
	if err := notify("READY=1"); err == nil {
		t.Error("a socket that is not there is no error")
	}
}
