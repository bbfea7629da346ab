package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"assay/judge/internal/atomicfile"
	"assay/judge/internal/cachedir"
)

// Cache caches results of runs, so that verifying a package again does not repeat them. The keys are hashes of
// the program, its files, and the limits. A zero Memory does not write to disk.
type Cache struct {
	Dir          string // directory; if empty, results are not stored
	IgnoreStored bool   // ignore stored results

	mu     sync.Mutex
	caches map[string]*runCache
	files  map[string]string // hashes by path and stamp
}

// cacheFormat is part of every key. It must be changed when old results become invalid.
const cacheFormat = "1"

// runCache holds the results of one program, in one file.
type runCache struct {
	file string

	mu      sync.Mutex
	known   map[string]json.RawMessage
	changed bool
}

// cache opens the cache of a program.
func (m *Cache) cache(program string) *runCache {
	m.mu.Lock()
	defer m.mu.Unlock()
	name := digest(cacheFormat, program)
	if s := m.caches[name]; s != nil {
		return s
	}
	s := &runCache{known: map[string]json.RawMessage{}}
	if m.Dir != "" {
		s.file = filepath.Join(m.Dir, name[:2], name+".json")
		if data, err := os.ReadFile(s.file); err == nil && !m.IgnoreStored {
			if json.Unmarshal(data, &s.known) != nil || s.known == nil {
				s.known = map[string]json.RawMessage{}
			}
		}
	}
	if m.caches == nil {
		m.caches = map[string]*runCache{}
	}
	m.caches[name] = s
	return s
}

// get decodes the result for a key into the value to which the parameter into points. It reports whether there is
// a result.
func (s *runCache) get(key string, result any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.known[key]
	return ok && json.Unmarshal(data, result) == nil
}

// put stores a result.
func (s *runCache) put(key string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		return // a result that cannot be stored is determined again
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[key], s.changed = data, true
}

// save writes new results to disk. If that fails, the results are determined again next time.
func (m *Cache) save() {
	m.mu.Lock()
	defer m.mu.Unlock()
	written := false
	for _, s := range m.caches {
		s.mu.Lock()
		if s.changed && s.file != "" {
			if data, err := json.Marshal(s.known); err == nil && len(data) <= maxRunCache {
				s.changed = atomicfile.Write(s.file, data) != nil
				written = true
			}
		}
		s.mu.Unlock()
	}
	if written {
		cachedir.Trim(m.Dir, cachedir.Limits{Bytes: maxCacheBytes, Files: maxCacheFiles})
	}
}

// The size limits of the cache, for one program and for all.
const (
	maxRunCache   = 64 << 20
	maxCacheBytes = 1 << 30
	maxCacheFiles = 50_000
)

// hash returns the hash of a file's content. If path is empty, it returns "empty".
func (m *Cache) hash(path string) (string, error) {
	if path == "" {
		return "empty", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	stamp := path + " " + cachedir.Stamp(info)
	m.mu.Lock()
	known, ok := m.files[stamp]
	m.mu.Unlock()
	if ok {
		return known, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	known = hex.EncodeToString(sum.Sum(nil)[:20])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]string{}
	}
	m.files[stamp] = known
	return known, nil
}

// digest hashes words such that different lists of words have different hashes.
func digest(words ...any) string {
	sum := sha256.New()
	for _, w := range words {
		text := fmt.Sprintf("%+v", w)
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:20])
}
