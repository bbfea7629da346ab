package cachedir

import (
	"io/fs"
	"syscall"
)

// changeOf is when anything about a file changed last, and the file's number.
func changeOf(info fs.FileInfo) (changed int64, number uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}
