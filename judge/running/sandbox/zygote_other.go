//go:build unix && !(linux && (amd64 || arm64))

package sandbox

import "os"

func mainZygote() {}

// ownBinary returns the file of this process.
func ownBinary() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
