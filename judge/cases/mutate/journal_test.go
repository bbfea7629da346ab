package mutate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// journalled returns results for two mutants.
func journalled(s *Subject) []*Result {
	first, second := &Mutant{ID: 3}, &Mutant{ID: 8}
	return []*Result{
		{Mutant: first, Subject: s, State: Killed, How: "crash", Case: "edge/one", outs: map[int][]byte{}},
		{Mutant: second, Subject: s, State: Unseparated, outs: map[int][]byte{2: []byte("other\n")}, spared: []uint32{7, 9}},
	}
}

func TestJournalGoesOnWhereItStopped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "adequacy", "key.journal")
	s := &Subject{}
	want := journalled(s)
	for _, r := range want { // written by separate runs
		j, err := openJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		if j.find(1, s, r.Mutant) != nil {
			t.Errorf("mutant %d is known before it is judged", r.ID)
		}
		if err := j.add(1, r); err != nil {
			t.Fatal(err)
		}
		if err := j.close(); err != nil {
			t.Fatal(err)
		}
	}
	j, err := openJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	for _, r := range want {
		if diff := cmp.Diff(
			r, j.find(1, s, r.Mutant), cmp.AllowUnexported(Result{}),
			cmp.Comparer(func(a, b *Mutant) bool { return a == b }),
			cmp.Comparer(func(a, b *Subject) bool { return a == b }),
		); diff != "" {
			t.Errorf("mutant %d (-want +got):\n%s", r.ID, diff)
		}
		if j.find(0, s, r.Mutant) != nil {
			t.Errorf("mutant %d of another program is known", r.ID)
		}
	}
}

// TestJournalsAreBounded checks that the oldest measurements are removed.
func TestJournalsAreBounded(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"oldest.json", "older.journal", "newer.json"} {
		path, when := filepath.Join(dir, name), time.Now().Add(time.Duration(i-3)*time.Hour)
		if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Truncate(path, 100<<20), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	j, err := openJournal(filepath.Join(dir, "key.journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 3 || filepath.Base(left[2]) != "older.journal" {
		t.Errorf("left are %q, want all but the oldest", left)
	}
}

// TestJournalWithALineCutOff checks a journal that ends with a partial line, as a killed judge may leave it. The
// mutant must be rejudged, and the next line must be complete.
func TestJournalWithALineCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key.journal")
	if err := os.WriteFile(path, []byte(`{"subject":1,"mutant":3,"state":"kil`), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &Subject{}
	r := journalled(s)[0]
	for _, known := range []bool{false, true} {
		j, err := openJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.find(1, s, r.Mutant) != nil; got != known {
			t.Errorf("known: %v, want %v", got, known)
		}
		if err := j.add(1, r); err != nil {
			t.Fatal(err)
		}
		if err := j.close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNoJournal(t *testing.T) {
	j, err := openJournal("")
	if err != nil {
		t.Fatal(err)
	}
	r := journalled(&Subject{})[0]
	if err := j.add(0, r); err != nil || j.find(0, r.Subject, r.Mutant) != nil || j.close() != nil {
		t.Errorf("it keeps %v, error %v", j.done, err)
	}
}
