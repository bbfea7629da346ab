//go:build !linux

package blob

import (
	"io/fs"
	"time"
)

// usage returns the modification time, because this system does not report when a file was last used. So the order
// in which blobs are removed is arbitrary.
func usage(info fs.FileInfo) (last time.Time, links bool) { return info.ModTime(), false }
