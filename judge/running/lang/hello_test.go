package lang_test

import (
	"errors"
	"os"
	"slices"
	"testing"

	"assay/judge/running/lang"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
	"assay/judge/running/testcache"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(run(m))
}

// sharedCache is shared by all tests with real compilers, because some of them compile their standard library
// first.
var sharedCache string

func run(m *testing.M) int {
	dir, done, err := testcache.New()
	if err != nil {
		panic(err)
	}
	defer done()
	sharedCache = dir
	return m.Run()
}

// boxed returns a toolbox with the best sandbox that this machine supports.
func boxed(t testing.TB) (*lang.Toolbox, *sandbox.Sandbox) {
	t.Helper()
	cfg, cache := ours(t), sharedCache
	visible, err := lang.Locate(cfg, cache)
	if err != nil {
		t.Fatal(err)
	}
	o := sandboxtest.Any()
	o.ReadOnly = visible
	box, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Errorf("close the sandbox: %v", err)
		}
	})
	return lang.New(cfg, box, cache, kit), box
}

// proven lists the languages that are tested even without ASSAY_SLOW. They are a compiled language, an interpreted
// one, one with a runtime, and one on which everything else depends.
var proven = []string{"c", "python3", "bash", "go"}

// TestHello checks each language of judge.toml in the sandbox. Rare languages are checked only if they are
// installed.
func TestHello(t *testing.T) {
	tools, box := boxed(t)
	t.Logf("sandbox: %s", box.Level())
	for _, l := range ours(t).Languages {
		if status, err := tools.Ready(t.Context(), l); l.Rare && err == nil && !status.Ready {
			t.Logf("%s is rare, and not here: %q", l.Name, status.Missing)
			continue
		}
		t.Run(l.ID, func(t *testing.T) {
			if os.Getenv("ASSAY_SLOW") == "" && !slices.Contains(proven, l.ID) {
				t.Skip("only some languages are proved; all of them with ASSAY_SLOW=1")
			}
			status, err := tools.Ready(t.Context(), l)
			if err != nil {
				t.Fatal(err)
			}
			if !status.Ready {
				t.Skipf("%s needs %q: apt-get install %s", l.Name, status.Missing, status.Package)
			}
			if len(l.Version) > 0 && status.Version == "" {
				t.Errorf("%s has no version", l.Name)
			}
			err = tools.Hello(t.Context(), l)
			if _, ok := errors.AsType[*lang.MissingError](err); ok {
				t.Errorf("Ready says that %s is there, Hello that it is not: %v", l.Name, err)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
