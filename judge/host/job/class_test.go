package job

import (
	"slices"
	"strings"
	"testing"
)

func offer() *Capabilities {
	return &Capabilities{
		Protocol: Protocol, Version: "v1", Arch: "linux/amd64", IsolationLevel: "root-cgroup2",
		Languages:    map[string]string{"c": "gcc 14.2", "python3": "Python 3.13.5"},
		InstallHints: map[string]string{"c": "apt-get install gcc", "python3": "apt-get install python3"},
	}
}

func TestDifferencesFromAClass(t *testing.T) {
	first := offer()
	class := &Class{Name: "main", Arch: first.Arch, IsolationLevel: first.IsolationLevel, Languages: first.Languages}
	for name, tt := range map[string]struct {
		change func(*Capabilities)
		want   []string // one substring per sentence
	}{
		"it is the first one's twin": {func(*Capabilities) {}, nil},
		"it has a language more":     {func(o *Capabilities) { o.Languages["go"] = "go 1.26" }, nil},
		"it has another version": {
			func(o *Capabilities) { o.Languages["c"] = "gcc 13.1" }, []string{`"gcc 13.1"; get the same version: apt-get install gcc`},
		},
		"it lacks a language": {
			func(o *Capabilities) { delete(o.Languages, "python3") },
			[]string{"python3: the class main has \"Python 3.13.5\", this machine has nothing: apt-get install python3"},
		},
		"without install command": {
			func(o *Capabilities) { o.Languages, o.InstallHints = nil, nil }, []string{"c:", "install what the other machines have"},
		},
		"it has another sandbox":        {func(o *Capabilities) { o.IsolationLevel = "rootless" }, []string{"judge doctor"}},
		"it is another kind of machine": {func(o *Capabilities) { o.Arch = "linux/arm64" }, []string{"would not be the same"}},
		"it differs in everything, told": {
			func(o *Capabilities) { o.Arch, o.IsolationLevel, o.Languages = "x", "none", nil }, []string{"x:", "none", "c:", "python3:"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := offer()
			tt.change(o)
			got := class.Differences(o)
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %d sentences", got, len(tt.want))
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i], want) {
					t.Errorf("got %q, want one with %q", got[i], want)
				}
			}
		})
	}
}

func TestAdmit(t *testing.T) {
	for name, tt := range map[string]struct {
		change     func(*Capabilities)
		priorities []Priority
		err        string
	}{
		"the same version serves all priorities": {func(*Capabilities) {}, Priorities, ""},
		"another one no running contest": {
			func(o *Capabilities) { o.Version = "v2" },
			[]Priority{PracticePriority, GolfPriority, TrialPriority, BackgroundPriority, GamePriority}, "",
		},
		"a newer protocol is refused":    {func(o *Capabilities) { o.Protocol = Protocol + 1 }, nil, "upgrade the server first"},
		"one of long ago is refused":     {func(o *Capabilities) { o.Protocol = MinProtocol - 1 }, nil, "upgrade the worker"},
		"one that tells none is refused": {func(o *Capabilities) { o.Protocol = 0 }, nil, "upgrade the worker"},
	} {
		t.Run(name, func(t *testing.T) {
			o := offer()
			tt.change(o)
			priorities, err := CheckVersion(o, "v1")
			if !slices.Equal(priorities, tt.priorities) || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, %v; want %v, %q", priorities, err, tt.priorities, tt.err)
			}
		})
	}
}
