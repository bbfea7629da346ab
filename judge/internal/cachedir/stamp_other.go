//go:build !linux

package cachedir

import "io/fs"

func changeOf(fs.FileInfo) (changed int64, number uint64) { return 0, 0 }
