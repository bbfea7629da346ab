package lang

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// reuseGoPackages copies the parts that the user's own build cache of Go contains to a new cache, such as the
// packages that were compiled for `go run`. The prepare commands compile the others, so errors are ignored.
func (t *Toolbox) reuseGoPackages(ctx context.Context, p *preparation, chain *toolchain, cache string) {
	parts := p.parts.Load()
	if parts == nil || len(*parts) == 0 {
		return
	}
	env := []string{"GOWORK=off"}
	for name, value := range p.language.BuildEnv {
		if name != "GOCACHE" && name != "GOENV" && name != "GOPATH" { // these describe the sandbox
			env = append(env, name+"="+value)
		}
	}
	list := func(names []string, options ...string) []string {
		argv := append([]string{chain.paths["go"], "list"}, options...)
		out, err := run(ctx, append(argv, names...), t.tools.home, env...)
		if err != nil {
			return nil
		}
		return strings.Fields(out)
	}
	// With -export, go list compiles what is stale.
	fresh := list(slices.Sorted(maps.Keys(*parts)), "-f", "{{if not .Stale}}{{.ImportPath}}{{end}}")
	if len(fresh) == 0 {
		return
	}
	for found := range slices.Chunk(list(fresh, "-export", "-f", "{{if .Export}}{{.ImportPath}} {{.BuildID}} {{.Export}}{{end}}"), 3) {
		if len(found) == 3 && copyGoPackage(cache, found[1], found[2]) == nil {
			p.countLine(found[0])
		}
	}
}

// copyGoPackage copies a compiled package from the build cache of Go that contains the file export. In such a cache,
// <hash of the content>-d is a compiled package, and <hash of everything that affects it>-a refers to one. The second
// hash begins with the first part of the package's build ID (see cmd/go/internal/cache and cmd/internal/buildid).
func copyGoPackage(cache, buildID, export string) error {
	id, _, _ := strings.Cut(buildID, "/")
	action, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil || len(action) == 0 {
		return errors.New("not a build ID")
	}
	user := filepath.Dir(filepath.Dir(export))
	prefix := hex.EncodeToString(action)
	entries, err := filepath.Glob(filepath.Join(user, prefix[:2], prefix+"*-a"))
	if err != nil || len(entries) != 1 {
		return errors.New("not one entry")
	}
	content, err := os.ReadFile(export)
	if sum := sha256.Sum256(content); err != nil || hex.EncodeToString(sum[:])+"-d" != filepath.Base(export) {
		return errors.New("damaged content")
	}
	entry, err := os.ReadFile(entries[0])
	if err != nil {
		return err
	}
	for from, data := range map[string][]byte{export: content, entries[0]: entry} {
		dir := filepath.Join(cache, filepath.Base(filepath.Dir(from)))
		to := filepath.Join(dir, filepath.Base(from))
		if err := errors.Join(makeWritable(dir), os.WriteFile(to, data, 0o666), os.Chmod(to, 0o666)); err != nil {
			return err
		}
	}
	return nil
}
