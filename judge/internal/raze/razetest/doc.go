// Package razetest is for tests of what removes folders, however deep. It does not make them.
package razetest
