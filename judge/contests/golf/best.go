package golf

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/internal/atomicfile"
)

// BestFile is the name of the file that lists the best correct submissions. It is plain text with tab-separated
// columns: problem, bytes, language, day, and file.
const BestFile = "golf-best.tsv"

// BestList is a list of the best correct submissions.
type BestList struct{ rows []bestRow }

type bestRow struct {
	problem  string
	bytes    int
	language string
	day      string
	file     string
}

// ReadBest reads a list. If the file does not exist, the list is empty.
func ReadBest(path string) (*BestList, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &BestList{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the best submissions: %w", err)
	}
	return parseBest(path, string(data))
}

func parseBest(path, text string) (*BestList, error) {
	b := &BestList{}
	for n, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 5 {
			return nil, fmt.Errorf("%s, line %d: want problem, bytes, language, day and file, separated by tabs", path, n+1)
		}
		size, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %q is not a number of bytes", path, n+1, f[1])
		}
		b.rows = append(b.rows, bestRow{f[0], size, f[2], f[3], f[4]})
	}
	return b, nil
}

// Add adds r to the list if r is correct and was checked on the whole domain. Of several submissions in the same
// file and language, only the shortest is kept.
func (b *BestList) Add(problem string, r *Result, day time.Time) {
	if r.Verdict != Correct || r.Quick || r.Picked {
		return
	}
	clean := strings.NewReplacer("\t", " ", "\n", " ").Replace
	row := bestRow{problem, r.Bytes, clean(r.LanguageWithFlags()), day.Format(time.DateOnly), clean(r.File)}
	for k, old := range b.rows {
		if old.problem == problem && old.file == row.file && old.language == row.language {
			if row.bytes < old.bytes {
				b.rows[k] = row
			}
			return
		}
	}
	b.rows = append(b.rows, row)
}

// forProblem returns a problem's submissions, shortest first.
func (b *BestList) forProblem(problem string) []bestRow {
	var rows []bestRow
	for _, r := range b.rows {
		if r.problem == problem {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b bestRow) int {
		return cmp.Or(a.bytes-b.bytes, strings.Compare(a.day, b.day), strings.Compare(a.file, b.file))
	})
	return rows
}

// Compare compares a submission with the best one in its language. It returns "" if the list contains no
// submission in that language.
func (b *BestList) Compare(problem string, r *Result, now time.Time) string {
	for _, row := range b.forProblem(problem) {
		if row.language == r.LanguageWithFlags() {
			return fmt.Sprintf("best here: %d (%s, %s)   this: %+d\n", row.bytes, dayWords(row.day, now), row.file, r.Bytes-row.bytes)
		}
	}
	return ""
}

func dayWords(day string, now time.Time) string {
	switch day {
	case now.Format(time.DateOnly):
		return "today"
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "yesterday"
	}
	return day
}

// Text formats a problem's submissions, shortest first.
func (b *BestList) Text(problem string) string {
	var out strings.Builder
	for _, r := range b.forProblem(problem) {
		fmt.Fprintf(&out, "%6d  %s  %s  %s\n", r.bytes, r.day, r.language, r.file)
	}
	return out.String()
}

// Write writes the list.
func (b *BestList) Write(path string) error {
	var out bytes.Buffer
	for _, r := range b.rows {
		fmt.Fprintf(&out, "%s\t%d\t%s\t%s\t%s\n", r.problem, r.bytes, r.language, r.day, r.file)
	}
	return atomicfile.Write(path, out.Bytes())
}
