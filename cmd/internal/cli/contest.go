package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"assay/judge/workspace"
)

// CacheDir returns the directory that caches built programs. The directory can be removed at any time.
func CacheDir() (string, error) {
	if dir := os.Getenv("ASSAY_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a directory for the cache: %w; set ASSAY_CACHE to one", err)
	}
	return filepath.Join(dir, "assay"), nil
}

// FindContest returns the contest of the current directory. Outside of a contest, it returns the bundled problems.
func FindContest() (*workspace.Workspace, error) {
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	env := workspace.Env{Cache: cache, DisplayPath: DisplayPath}
	for _, variable := range []string{"TESTLIB", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "CPATH"} {
		env.Headers = append(env.Headers, filepath.SplitList(os.Getenv(variable))...)
	}
	return workspace.Find(env)
}

// DisplayPath returns path relative to the current directory. If that is not shorter, it returns path unchanged.
func DisplayPath(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, abs); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}
