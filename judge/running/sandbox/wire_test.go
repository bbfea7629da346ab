//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"math"
	"reflect"
	"testing"
)

func TestRequestArrivesAsItLeft(t *testing.T) {
	left := request{
		kind: msgRun, seq: 7, inline: true, remount: true, null: [3]bool{true, false, true}, cpu: 1, wall: 2,
		memory: math.MaxInt64, processes: 4, files: 5, fileSize: 6, scratch: 8,
		argv: [][]byte{[]byte("a\x00"), []byte("\x00")}, env: [][]byte{[]byte("X=1\x00")}, mounts: []mountOrder{{"/program"}},
	}
	msg := appendString(left.head(nil), "/tmp")
	for _, s := range []string{"a", "", "X=1", "/program"} {
		msg = appendString(msg, s)
	}
	var got request
	c := cursor{b: msg}
	argc, envc, mounts := got.readHead(&c)
	got.readStrings(&c, argc, envc, mounts)
	left.dir = []byte("/tmp\x00")
	if c.err != nil || len(c.b) != 0 || !reflect.DeepEqual(got, left) {
		t.Errorf("got %+v (%v, %d bytes left), want %+v", got, c.err, len(c.b), left)
	}
}

func TestReplyArrivesAsItLeft(t *testing.T) {
	left := reply{kind: msgDone, seq: 3, status: 9, killed: killedWall, cpu: 1, wall: 2, memory: 3, end: 4, text: "why"}
	var got reply
	if err := got.decode(left.encode(nil)); err != nil || got != left {
		t.Errorf("got %+v, %v, want %+v", got, err, left)
	}
}

func FuzzRequest(f *testing.F) {
	r := request{kind: msgRun, inline: true, argv: [][]byte{nil}}
	f.Add(appendString(appendString(r.head(nil), "/tmp"), "true"))
	f.Add(bytes.Repeat([]byte{0xff}, 200))
	unended := appendString(r.head(nil), "/tmp")
	unended[len(unended)-1] = 'x'
	f.Add(appendString(unended, "true"))
	r.argv = nil
	negative := r.head(nil)
	negative[10*8+7] = 0x80 // the number of arguments
	f.Add(appendString(negative, "/tmp"))
	f.Fuzz(func(t *testing.T, msg []byte) {
		var r request
		c := cursor{b: msg}
		argc, envc, mounts := r.readHead(&c)
		r.readStrings(&c, argc, envc, mounts)
		for _, text := range append(append([][]byte{r.dir}, r.argv...), r.env...) {
			if len(text) == 0 || text[len(text)-1] != 0 {
				t.Errorf("it does not end in NUL: %q", text)
			}
		}
		if c.err == nil && (len(r.argv) != argc || len(r.env) != envc || len(r.mounts) != mounts) {
			t.Errorf("%d, %d and %d strings of %d, %d and %d, and no error", len(r.argv), len(r.env), len(r.mounts), argc, envc, mounts)
		}
	})
}

func TestParseMount(t *testing.T) {
	places := map[string]string{"memory": "/box/7", "cpu": "/", "cpuacct": "/", "": "/user.slice/a.scope"}
	for name, row := range map[string]struct {
		line string
		want hierarchy
		ok   bool
	}{
		"it finds our group below the mount": {
			"36 35 0:31 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory",
			hierarchy{1, []string{"memory"}, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/box/7"}, true},
		"it takes the container's part of the tree off": {
			"36 35 0:31 /box /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
			hierarchy{1, []string{"memory"}, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory/7"}, true},
		"it takes the top where our group is out of sight": {
			"36 35 0:31 /other /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
			hierarchy{1, []string{"memory"}, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/memory"}, true},
		"it lists controllers that share a tree": {
			"40 35 0:32 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
			hierarchy{1, []string{"cpu", "cpuacct"}, "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct"}, true},
		"it knows version 2": {
			"41 35 0:33 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate",
			hierarchy{2, nil, "/sys/fs/cgroup", "/sys/fs/cgroup/user.slice/a.scope"}, true},
		"it passes over other mounts": {"22 1 254:0 / / rw - ext4 /dev/vda rw", hierarchy{}, false},
		"it passes over torn lines":   {"22 1 - cgroup", hierarchy{}, false},
		"it passes over named trees":  {"42 35 0:34 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd", hierarchy{version: 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := parseMount(row.line, places)
			if ok != row.ok || ok && !reflect.DeepEqual(got, row.want) {
				t.Errorf("parseMount(%q) = %+v, %v, want %+v, %v", row.line, got, ok, row.want, row.ok)
			}
		})
	}
}

func FuzzParseMount(f *testing.F) {
	f.Add("36 35 0:31 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory")
	f.Fuzz(func(t *testing.T, line string) {
		if h, ok := parseMount(line, map[string]string{"memory": "/x"}); ok && h.version == 0 {
			t.Errorf("parseMount(%q) = %+v", line, h)
		}
	})
}
