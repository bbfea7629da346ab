// Package sandboxtest checks the rules that every isolation level of the sandbox must enforce, using hostile
// programs that try to break them. It is not part of the judge: only tests import it.
//
// The hostile programs are the test binary itself, started with a mark in its environment. For this reason, a
// package that uses sandboxtest must call Main in its TestMain, after sandbox.Main.
package sandboxtest
