package blob

import (
	"io/fs"
	"syscall"
	"time"
)

// usage returns when a file was last used, and whether the file has other hard links.
func usage(info fs.FileInfo) (last time.Time, links bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime(), false
	}
	return time.Unix(st.Atim.Unix()), st.Nlink > 1
}
