//go:build !unix

package server

import "os/exec"

// ownGroup is a stub for systems without process groups, on which only cmd itself is killed.
func ownGroup(*exec.Cmd) (kill func()) { return func() {} }
