//go:build linux

package sandboxtest

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TinyELF returns a static program for amd64 with a few bytes of machine code, followed by zeroed memory of size
// bss at address BSS.
func TinyELF(code []byte, bss int64) []byte {
	const headers = 64 + 2*56
	le := binary.LittleEndian
	b := []byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	for _, half := range []uint16{2, 62} { // executable, x86-64
		b = le.AppendUint16(b, half)
	}
	b = le.AppendUint32(b, 1)
	for _, v := range []uint64{tinyBase + headers, 64, 0} { // entry, program headers, no sections
		b = le.AppendUint64(b, v)
	}
	b = le.AppendUint32(b, 0)
	for _, half := range []uint16{64, 56, 2, 0, 0, 0} {
		b = le.AppendUint16(b, half)
	}
	size := uint64(headers + len(code))
	for _, p := range [][6]uint64{{0, tinyBase, tinyBase, size, size, 5}, {0, BSS, BSS, 0, uint64(max(bss, 4096)), 6}} {
		b = le.AppendUint32(b, 1) // load
		b = le.AppendUint32(b, uint32(p[5]))
		for _, v := range p[:5] {
			b = le.AppendUint64(b, v)
		}
		b = le.AppendUint64(b, 0x1000)
	}
	return append(b, code...)
}

const tinyBase = 0x400000

// oldELF returns a static program for 32-bit x86. It can be executed, but its first system call is not allowed.
func oldELF() []byte {
	const headers = 52 + 32
	le := binary.LittleEndian
	code := []byte{0x31, 0xdb, 0xb8, 1, 0, 0, 0, 0xcd, 0x80} // exit(0)
	b := []byte{0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	b = le.AppendUint16(le.AppendUint16(b, 2), 3) // executable, 386
	for _, v := range []uint32{1, tinyBase + headers, 52, 0, 0} {
		b = le.AppendUint32(b, v)
	}
	for _, half := range []uint16{52, 32, 1, 0, 0, 0} {
		b = le.AppendUint16(b, half)
	}
	size := uint32(headers + len(code))
	for _, v := range []uint32{1, 0, tinyBase, tinyBase, size, size, 5, 0x1000} {
		b = le.AppendUint32(b, v)
	}
	return append(b, code...)
}

// BSS is the address of the zeroed memory of a TinyELF.
const BSS = 0x10000000

// staticArray is the size of the arrays in the tiny programs that have one.
const staticArray = 800 << 20

// tinyPrograms contains the programs that require machine code.
var tinyPrograms = map[string][]byte{
	"noop": {0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05}, // exit_group(0)
	"echo": { // read(0, BSS, 4096); write(1, BSS, bytes read); exit_group(0)
		0x31, 0xff, 0xbe, 0, 0, 0, 0x10, 0xba, 0, 0x10, 0, 0, 0x31, 0xc0, 0x0f, 0x05,
		0x89, 0xc2, 0xbf, 1, 0, 0, 0, 0xb8, 1, 0, 0, 0, 0x0f, 0x05,
		0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05,
	},
	"listen": { // while read(0, BSS, 4096) > 0; exit_group(0)
		0x31, 0xff, 0xbe, 0, 0, 0, 0x10, 0xba, 0, 0x10, 0, 0, 0x31, 0xc0, 0x0f, 0x05,
		0x85, 0xc0, 0x7f, 0xec,
		0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05,
	},
	// pause()
	"pause": {0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xfe},
	// jmp .
	"spin": {0xeb, 0xfe},
	// fork(); again
	"forkbomb": {0xb8, 57, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7},
	// push; again
	"recurse": {0x50, 0xeb, 0xfd},
	// mov [0], eax
	"crash": {0x31, 0xc0, 0x89, 0x00},
	// kill(getpid(), SIGSTOP)
	"stop": {0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x89, 0xc7, 0xbe, 19, 0, 0, 0, 0xb8, 62, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xfe},
	// the 32-bit getpid()
	"int80": {0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05},
	// exit_group(the x32 getpid() >= 0)
	"x32": {
		0xb8, 39, 0, 0, 0x40, 0x0f, 0x05, 0x31, 0xff, 0x85, 0xc0, 0x0f, 0x99, 0xc0, 0x0f, 0xb6, 0xf8, 0xb8,
		0xe7, 0, 0, 0, 0x0f, 0x05,
	},
	// like noop, with an array
	"array": {0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05},
	"array-touched": { // writes a byte to each page of the array
		0xbf, 0, 0, 0, 0x10, // mov edi, BSS
		0xb9, 0, 0x20, 0x03, 0, // mov ecx, pages
		0xc6, 0x07, 1, 0x48, 0x81, 0xc7, 0, 0x10, 0, 0, 0xff, 0xc9, 0x75, 0xf2, // movb [rdi], 1; add rdi, 4096; dec ecx; jnz
		0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05,
	},
}

// Programs returns a directory that contains the hostile programs, and files that are not programs. All users can
// read it.
func Programs(tb testing.TB) string {
	tb.Helper()
	if runtime.GOARCH != "amd64" {
		tb.Skip("the hostile programs are written for amd64")
	}
	dir := tb.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} { // both belong to the test
		if err := os.Chmod(d, 0o755); err != nil {
			tb.Fatal(err)
		}
	}
	write := func(name string, text []byte, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), text, mode); err != nil {
			tb.Fatal(err)
		}
	}
	for name, code := range tinyPrograms {
		bss := int64(0)
		if name == "array" || name == "array-touched" {
			bss = staticArray
		}
		write(name, TinyELF(code, bss), 0o755)
	}
	noop := TinyELF(tinyPrograms["noop"], 0)
	foreign := bytes.Clone(noop)
	foreign[18] = 22 // S390
	write("foreign", foreign, 0o755)
	write("old", oldELF(), 0o755)
	write("damaged", noop[:100], 0o755)
	write("plain.txt", []byte("hello\n"), 0o644)
	write("text", []byte("hello\n"), 0o755)
	write("empty", nil, 0o755)
	write("orphan.sh", []byte("#!/no/such/interpreter\n"), 0o755)
	write("windows.sh", []byte("#!/bin/sh\r\necho\r\n"), 0o755)
	copyTestBinary(tb, filepath.Join(dir, hostileName))
	return dir
}

// copyTestBinary copies this process's executable.
func copyTestBinary(tb testing.TB, to string) {
	tb.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		tb.Fatal(err)
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.Copy(f, from); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
}
