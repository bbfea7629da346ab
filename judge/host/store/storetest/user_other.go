//go:build !linux

package storetest

import "os/exec"

// giveAway does nothing, because the user that runs the test also runs the server.
func giveAway(string) error { return nil }

// asOtherUser does nothing.
func asOtherUser(*exec.Cmd) error { return nil }
