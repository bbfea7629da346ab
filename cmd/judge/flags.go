package main

import (
	"fmt"
	"os"

	"assay/judge/problem"
)

// openFile opens a file that the user named.
func openFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, usageError{fmt.Errorf("%s is a directory: name a file", path)}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %s", path, problem.Reason(err))}
	}
	return f, nil
}
