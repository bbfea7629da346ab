package intake

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/netip"
	"slices"
	"testing"

	"assay/judge/host/job"
)

// TestMatchesAddress checks that an address matches itself in any notation, and a network matches what is in it.
func TestMatchesAddress(t *testing.T) {
	for _, tt := range []struct {
		caller, address string
		want            bool
	}{
		{"10.0.0.7", "10.0.0.7", true},
		{"10.0.0.7", "10.0.0.8", false},
		{"10.0.0.7", "::ffff:10.0.0.7", true},
		{"10.0.0.7", "10.0.0.0/24", true},
		{"10.0.1.7", "10.0.0.0/24", false},
		{"10.0.0.7", "10.0.0.7/32", true},
		{"10.0.0.8", "10.0.0.7/32", false},
		{"10.0.0.7", "::ffff:10.0.0.0/120", true},
		{"10.0.1.7", "::ffff:10.0.0.0/120", false},
		{"10.0.1.7", "::ffff:0.0.0.0/96", true},
		{"10.0.1.7", "::ffff:0.0.0.0/95", false},
		{"2001:db8::1", "2001:db8::/32", true},
		{"2001:db9::1", "2001:db8::/32", false},
		{"2001:db8::1", "::ffff:0.0.0.0/96", false},
		{"10.0.0.7", "::/0", false},
		{"10.0.0.7", "", false},
		{"10.0.0.7", "nonsense", false},
	} {
		if got := matchesAddress(netip.MustParseAddr(tt.caller), tt.address); got != tt.want {
			t.Errorf("%s matches %q: %v", tt.caller, tt.address, got)
		}
	}
	for remote, want := range map[string]string{
		"10.0.0.7:80": "10.0.0.7", "[::ffff:10.0.0.7]:80": "10.0.0.7", "[fe80::1%eth0]:80": "fe80::1", "10.0.0.7": "invalid IP", "": "invalid IP",
	} {
		if got := callerAddress(remote).String(); got != want {
			t.Errorf("the address of %q is %s, want %s", remote, got, want)
		}
	}
}

// TestReadZip checks that an archive gives its files in their order, up to the limits of a submission, and nothing that is
// not a file.
func TestReadZip(t *testing.T) {
	pack := func(files ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range files {
			h := &zip.FileHeader{Name: name}
			if name == "link" {
				h.SetMode(fs.ModeSymlink | 0o777)
			}
			w, err := z.CreateHeader(h)
			if err == nil && name[len(name)-1] != '/' {
				_, err = w.Write([]byte("12345"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var many []string
	for i := range job.MaxFiles + 1 {
		many = append(many, fmt.Sprint("f", i))
	}
	for _, tt := range []struct {
		what string
		data []byte
		most int64
		want []string
		code int
	}{
		{"two files in a folder", pack("a/", "a/b.py", "c.py"), 10, []string{"a/b.py", "c.py"}, 0},
		{"one byte too many", pack("a/", "a/b.py", "c.py"), 9, nil, http.StatusRequestEntityTooLarge},
		{"as many files as are allowed", pack(many[1:]...), 1 << 20, many[1:], 0},
		{"one file too many", pack(many...), 1 << 20, nil, http.StatusRequestEntityTooLarge},
		{"a link", pack("a.py", "link"), 100, nil, http.StatusBadRequest},
		{"no archive", []byte("12345"), 100, nil, http.StatusBadRequest},
	} {
		names, texts, err := ReadZip(tt.data, tt.most)
		refusal, refused := errors.AsType[*Refusal](err)
		if !slices.Equal(names, tt.want) || len(texts) != len(tt.want) || refused != (tt.code != 0) || refused && refusal.Code != tt.code ||
			slices.ContainsFunc(texts, func(text []byte) bool { return string(text) != "12345" }) {
			t.Errorf("%s: %d files %.100q, %v", tt.what, len(texts), names, err)
		}
	}
}

// TestProgramName checks that a single file has its own name, and several files that of the first.
func TestProgramName(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  string
		dir   bool
	}{
		{[]string{"a.py"}, "a.py", false},
		{[]string{"src/a.py"}, "a.py and 0 more", true},
		{[]string{"src/a.py", "b.py", "c.py"}, "a.py and 2 more", true},
	} {
		if got, dir := ProgramName(tt.names); got != tt.want || dir != tt.dir {
			t.Errorf("%q is %q, a directory: %v", tt.names, got, dir)
		}
	}
}
