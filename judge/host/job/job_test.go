package job

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/blob"
)

func work() Work {
	d := blob.DigestOf([]byte("x"))
	return Work{Kind: Submission, Bundle: d, Config: d, Problem: "wythoff", Program: "a.py", Files: []File{{Path: "a.py", Size: 1, Digest: d}}}
}

func TestWorkOfOthersIsChecked(t *testing.T) {
	file := func(paths ...string) func(*Work) {
		return func(w *Work) {
			w.IsDir, w.Files = true, nil
			for _, p := range paths {
				w.Files = append(w.Files, File{Path: p, Digest: blob.DigestOf(nil)})
			}
		}
	}
	for name, tt := range map[string]struct {
		change func(*Work)
		want   string // in the error; empty if there is none
	}{
		"good":              {func(*Work) {}, ""},
		"a folder":          {file("src/a.py", "src/b/c.py"), ""},
		"a dotted name":     {file("..a"), ""},
		"an unknown kind":   {func(w *Work) { w.Kind = "dance" }, "kind of job"},
		"no bundle":         {func(w *Work) { w.Bundle = "" }, "the bundle"},
		"a bad config":      {func(w *Work) { w.Config = "zz" }, "the config"},
		"no problem":        {func(w *Work) { w.Problem = "" }, "the problem"},
		"a problem outside": {func(w *Work) { w.Problem = ".." }, "a valid directory name"},
		"a problem's path":  {func(w *Work) { w.Problem = "a/b" }, "a valid directory name"},
		"a wide language":   {func(w *Work) { w.Language = strings.Repeat("x", 200) }, "the language"},
		"a newline":         {func(w *Work) { w.Program = "a\nb" }, "the program"},
		"no files":          {func(w *Work) { w.Files = nil }, "no files"},
		"many files":        {func(w *Work) { w.Files = make([]File, MaxFiles+1) }, "the most is"},
		"two, no folder":    {func(w *Work) { w.Files = append(w.Files, w.Files[0]) }, "not marked as a directory"},
		"a path out":        {file("../a"), "inside the submission"},
		"an absolute path":  {file("/a"), "inside the submission"},
		"a drive":           {file("c:a"), "inside the submission"},
		"a backslash":       {file(`a\b`), "inside the submission"},
		"an empty part":     {file("a//b"), "inside the submission"},
		"a dot":             {file("./a"), "inside the submission"},
		"a long path":       {file(strings.Repeat("a", 300)), "inside the submission"},
		"twice":             {file("a", "A"), "twice"},
		"file and folder":   {file("a", "a/b"), "a file and a directory"},
		"a bad digest":      {func(w *Work) { w.Files[0].Digest = "q" }, "SHA-256"},
		"a negative size":   {func(w *Work) { w.Files[0].Size = -1 }, "below 0"},
	} {
		t.Run(name, func(t *testing.T) {
			w := work()
			tt.change(&w)
			switch err := w.Check(); {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestSpecsAndResultsTravel(t *testing.T) {
	s := &Spec{Work: work(), ID: "1", Generation: 2, Priority: BackgroundPriority, Class: "main", Token: "t", Exclude: []string{"w"}}
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if back, err := DecodeSpec(data); err != nil || !reflect.DeepEqual(back, s) {
		t.Errorf("got %+v, %v", back, err)
	}
	s.Program = strings.Repeat("x", MaxSpec)
	if _, err := s.Encode(); err == nil {
		t.Error("a spec over the limit was written")
	}
	r := &Result{
		Job: "1", Worker: "w", State: Done, Finished: &judge.Finished{Verdict: judge.Accepted},
		Rows: []CaseRow{{Case: "a/b", Verdict: judge.Accepted}}, Toolchains: map[string]string{"c": "gcc"},
	}
	if data, err = r.Encode(); err != nil {
		t.Fatal(err)
	}
	if back, err := DecodeResult(data); err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("got %+v, %v", back, err)
	}
	for _, bad := range []string{"", "{}", `{"job":"1","worker":"w","state":"odd"}`} {
		if _, err := DecodeResult([]byte(bad)); err == nil {
			t.Errorf("%q was read as a result", bad)
		}
	}
	for _, bad := range []string{"", "{}", `{"id":"1","token":"t"}`} {
		if _, err := DecodeSpec([]byte(bad)); err == nil {
			t.Errorf("%q was read as a job", bad)
		}
	}
}

// stream returns the events of judging n test cases. Test case i fails if `failing(i)` is true. The details of a
// failed test case have size bytes and are incompressible.
func stream(n, size int, failing func(i int) bool) (events []judge.Event) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := func() string {
		var b strings.Builder
		for b.Len() < size {
			fmt.Fprintf(&b, "%x", random.Uint64())
		}
		return b.String()
	}
	events = append(events, &judge.Started{Problem: "p"})
	for i := range n {
		c := &judge.CaseJudged{Group: "g", Case: fmt.Sprint(i), Verdict: judge.Accepted}
		if failing(i) {
			c.Verdict, c.Stderr = judge.WrongAnswer, noise()
		} else {
			c.Message = noise()
		}
		events = append(events, c)
	}
	return append(events, &judge.Finished{Verdict: judge.WrongAnswer})
}

func TestEventsArePacked(t *testing.T) {
	count := func(events []judge.Event) (cases, details, notes int) {
		for _, e := range events {
			switch e := e.(type) {
			case *judge.CaseJudged:
				cases++
				if e.Stderr != "" {
					details++
				}
			case *judge.Noted:
				notes++
			}
		}
		return cases, details, notes
	}
	all := func(int) bool { return true }
	for name, tt := range map[string]struct {
		events                []judge.Event
		cases, details, notes int
	}{
		"small":                        {stream(10, 10, all), 10, 10, 0},
		"details of the first only":    {stream(50, 10, all), 50, maxDetailed, 0},
		"details that are too large":   {stream(50, 100_000, all), 50, 0, 1},
		"cases that are too many":      {stream(2000, 4000, func(i int) bool { return i == 7 }), 1, 0, 1},
		"accepted and failing, mixed":  {stream(100, 10, func(i int) bool { return i%2 == 0 }), 100, maxDetailed, 0},
		"nothing but start and finish": {stream(0, 0, all), 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			before := fmt.Sprint(count(tt.events))
			packed, rows, err := Pack(tt.events)
			if err != nil {
				t.Fatal(err)
			}
			back, err := Unpack(packed)
			if err != nil {
				t.Fatal(err)
			}
			cases, details, notes := count(back)
			if cases != tt.cases || details != tt.details || notes != tt.notes {
				t.Errorf("%d cases, %d with details, %d notes; want %d, %d, %d", cases, details, notes, tt.cases, tt.details, tt.notes)
			}
			if n, _, _ := count(tt.events); len(rows) != n && n <= 1000 { // for more, see TestRowsFitIntoAMessage
				t.Errorf("%d rows of %d cases", len(rows), n)
			}
			if len(packed) > MaxEvents {
				t.Errorf("%d bytes", len(packed))
			}
			if after := fmt.Sprint(count(tt.events)); after != before {
				t.Error("packing changed the events")
			}
			if _, ends := back[len(back)-1].(*judge.Finished); !ends {
				t.Error("the last event is not the end")
			}
		})
	}
}

// TestRowsFitIntoAMessage checks that the failed cases keep their rows if there are too many cases.
func TestRowsFitIntoAMessage(t *testing.T) {
	for name, tt := range map[string]struct {
		cases   int
		failing func(i int) bool
		rows    int
	}{
		"few have all":           {100, func(int) bool { return false }, 100},
		"many have the failures": {10_000, func(i int) bool { return i%1000 == 7 }, 10},
		"none of many failed":    {10_000, func(int) bool { return false }, 0},
	} {
		_, rows, err := Pack(stream(tt.cases, 0, tt.failing))
		if err != nil || len(rows) != tt.rows {
			t.Errorf("%s: %d rows, %v; want %d", name, len(rows), err, tt.rows)
		}
	}
	_, rows, err := Pack(stream(10_000, 0, func(int) bool { return true }))
	if err != nil {
		t.Fatal(err)
	}
	data, err := (&Result{Job: "1", Worker: "w", State: Done, Finished: &judge.Finished{}, Rows: rows,
		Events: make([]byte, MaxEvents)}).Encode()
	if err != nil || len(rows) < 500 || len(data) > 1<<20 {
		t.Errorf("%d rows, %d bytes in all, %v", len(rows), len(data), err)
	}
}

func TestWhatIsNotPacked(t *testing.T) {
	packed, _, err := Pack(stream(3, 10, func(int) bool { return false }))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{nil, []byte("hello"), packed[:len(packed)/2]} {
		if _, err := Unpack(bad); err == nil {
			t.Errorf("%q was unpacked", bad)
		}
	}
}

func FuzzDecodeSpec(f *testing.F) {
	w := work()
	good, _ := (&Spec{Work: w, ID: "1", Token: "t"}).Encode()
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeSpec(data)
		if err == nil && s.Check() != nil {
			t.Error("a spec that does not pass its check was read")
		}
	})
}

func FuzzDecodeResult(f *testing.F) {
	good, _ := (&Result{Job: "1", Worker: "w", State: Failed}).Encode()
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := DecodeResult(data); err == nil {
			if _, err := r.Encode(); err != nil {
				t.Error(err)
			}
			_, _ = Unpack(r.Events)
		}
	})
}
