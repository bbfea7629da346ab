// Package forceremovetest helps to test code that removes directories of any depth. It does not create directories.
package forceremovetest
