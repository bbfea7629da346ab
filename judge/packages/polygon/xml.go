package polygon

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"assay/judge"
	"assay/judge/internal/mark"
	"assay/judge/problem"
)

// A document contains the parts of problem.xml that judging needs.
type document struct {
	XMLName   xml.Name `xml:"problem"`
	ShortName string   `xml:"short-name,attr"`
	Revision  string   `xml:"revision,attr"`
	URL       string   `xml:"url,attr"`
	Names     []struct {
		Language string `xml:"language,attr"`
		Value    string `xml:"value,attr"`
	} `xml:"names>name"`
	Statements []struct {
		Language string `xml:"language,attr"`
		Path     string `xml:"path,attr"`
		Type     string `xml:"type,attr"`
	} `xml:"statements>statement"`
	Judging struct {
		InputFile  string    `xml:"input-file,attr"`
		OutputFile string    `xml:"output-file,attr"`
		RunCount   int       `xml:"run-count,attr"`
		Testsets   []testset `xml:"testset"`
	} `xml:"judging"`
	Executables []struct {
		Source source `xml:"source"`
	} `xml:"files>executables>executable"`
	Assets struct {
		Checker *struct {
			Name    string  `xml:"name,attr"`
			Type    string  `xml:"type,attr"`
			Source  source  `xml:"source"`
			Testset testset `xml:"testset"`
		} `xml:"checker"`
		Interactor *struct {
			Source source `xml:"source"`
			Runs   []int  `xml:"runs>run"` // runs with the interactor; if empty, only the first run
		} `xml:"interactor"`
		Validators []struct {
			Source  source  `xml:"source"`
			Testset testset `xml:"testset"`
		} `xml:"validators>validator"`
		Solutions []struct {
			Tag    string `xml:"tag,attr"`
			Source source `xml:"source"`
		} `xml:"solutions>solution"`
	} `xml:"assets"`
}

type source struct {
	Path string `xml:"path,attr"`
	Type string `xml:"type,attr"`
}

type testset struct {
	Name        string  `xml:"name,attr"`
	TimeMS      int64   `xml:"time-limit"`
	MemoryBytes int64   `xml:"memory-limit"`
	TestCount   int     `xml:"test-count"`
	Input       string  `xml:"input-path-pattern"`
	Output      string  `xml:"output-path-pattern"`
	Answer      string  `xml:"answer-path-pattern"`
	Tests       []test  `xml:"tests>test"`
	Groups      []group `xml:"groups>group"`
}

type test struct {
	Method  string   `xml:"method,attr"`
	Cmd     string   `xml:"cmd,attr"`
	File    string   `xml:"from-file,attr"`
	Sample  bool     `xml:"sample,attr"`
	Group   string   `xml:"group,attr"`
	Points  *float64 `xml:"points,attr"` // nil if not given
	Verdict string   `xml:"verdict,attr"`
}

type group struct {
	Name         string  `xml:"name,attr"`
	Points       float64 `xml:"points,attr"`
	Policy       string  `xml:"points-policy,attr"`
	Dependencies []struct {
		Group string `xml:"group,attr"`
	} `xml:"dependencies>dependency"`
}

// maxDocument is the maximum size of problem.xml, in bytes.
const maxDocument = 16 << 20

// readDocument reads problem.xml.
func readDocument(file string) (*document, *judge.ProblemError) {
	f, err := os.Open(file)
	if err != nil {
		return nil, &judge.ProblemError{File: file, Text: problem.Reason(err)}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
	if err != nil {
		return nil, &judge.ProblemError{File: file, Text: problem.Reason(err)}
	}
	if len(data) > maxDocument {
		return nil, &judge.ProblemError{File: file, Text: fmt.Sprintf("the file has more than %d bytes", maxDocument)}
	}
	return parseDocument(file, data)
}

func parseDocument(file string, data []byte) (*document, *judge.ProblemError) {
	var d document
	decoded := mark.IsUTF16(data)
	if decoded { // package xml cannot read a declaration in UTF-16
		text, _ := mark.Decode(data, "")
		data = []byte(text)
	}
	decoder := xml.NewDecoder(bytes.NewReader(data))
	decoder.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if decoded {
			return in, nil
		}
		encoding, err := htmlindex.Get(label)
		if err != nil {
			return nil, &judge.ProblemError{
				File: file, Line: 1, Text: fmt.Sprintf("unknown encoding %q", label),
				Hint: "save the file as UTF-8, and declare that in its first line",
			}
		}
		return encoding.NewDecoder().Reader(in), nil
	}
	err := decoder.Decode(&d)
	if err == nil {
		return &d, nil
	}
	if unknown, ok := errors.AsType[*judge.ProblemError](err); ok {
		return nil, unknown
	}
	fault := &judge.ProblemError{File: file, Text: strings.TrimPrefix(err.Error(), "xml: ")}
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		fault.Line, fault.Text = syntax.Line, syntax.Msg
	}
	return nil, fault
}

// local converts a path in problem.xml to a path for the operating system. It returns "" for a path outside the
// package.
func local(path string) string {
	path = filepath.FromSlash(strings.ReplaceAll(path, `\`, "/"))
	if path == "" || !filepath.IsLocal(path) {
		return ""
	}
	return path
}

// numbered formats the number of a test by a pattern such as tests/%02d.
func numbered(pattern string, n int) string {
	start := strings.IndexByte(pattern, '%')
	if start < 0 {
		return pattern
	}
	end := strings.IndexByte(pattern[start:], 'd')
	if end < 0 || strings.Trim(pattern[start+1:start+end], "0123456789") != "" || end > 4 {
		return pattern
	}
	return pattern[:start] + fmt.Sprintf(pattern[start:start+end+1], n) + pattern[start+end+1:]
}
