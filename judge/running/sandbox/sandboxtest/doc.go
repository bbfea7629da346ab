// Package sandboxtest checks the rules that every isolation level of the sandbox must enforce, using hostile
// programs that try to break them. It is not part of the judge: only tests import it.
//
// A package that runs it calls Main in its TestMain, after sandbox.Main. The reason is that the hostile programs
// are the test binary itself, started with a mark in their environment.
package sandboxtest
