// Package razetest is for tests of what removes directories, however deep. It does not make them.
package razetest
