package cachedir

import (
	"io/fs"
	"syscall"
)

// changeOf returns the time of a file's last change of any kind, and its inode number.
func changeOf(info fs.FileInfo) (changed int64, number uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}
