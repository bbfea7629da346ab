//go:build !linux

package storetest

import "os/exec"

// chownToServerUser does nothing, because the user that runs the test also runs the server.
func chownToServerUser(string) error { return nil }

// runAsServerUser does nothing.
func runAsServerUser(*exec.Cmd) error { return nil }
