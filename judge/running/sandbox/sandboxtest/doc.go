// Package sandboxtest holds the laws that every rung of the sandbox must keep, as
// tests, with the hostile programs that try to break them. It is not a part of
// the judge: only tests import it.
//
// A package that runs it calls Main in its TestMain, after sandbox.Main, as the
// hostile programs are the test binary itself, started with a mark.
package sandboxtest
