package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"assay/judge"
)

// JUnit returns the report for continuous integration. Each group is a test suite, and each case is a test case. A
// verification has a suite for its checks and another for its solutions. Times are CPU times.
func JUnit(w io.Writer) Report { return &junit{w: w} }

type junit struct {
	w       io.Writer
	records records
}

func (j *junit) Event(e judge.Event) { j.records.add(e) }

func (j *junit) Close() error {
	root := &junitSuites{Name: "judge"}
	for _, r := range j.records.all {
		if r.adequacy != nil { // a measurement has no tests
			continue
		}
		if r.isVerification() {
			root.addVerification(r)
		} else {
			root.addSubmission(r)
		}
	}
	for _, s := range root.Suites {
		root.add(s.junitCounts)
	}
	body, err := xml.MarshalIndent(root, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(j.w, "%s%s\n", xml.Header, body)
	}
	if err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	return nil
}

// Elements of the file, in the form that most programs understand.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     junitMillis `xml:"time,attr"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    junitMillis   `xml:"time,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Failure *junitFailure `xml:"failure"`
		Error   *junitFailure `xml:"error"`
		Skipped *junitSkipped `xml:"skipped"`
		Stderr  *junitText    `xml:"system-err"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr,omitempty"`
	}
)

// junitMillis is a time in milliseconds, which is written in seconds.
type junitMillis float64

func (m junitMillis) MarshalXMLAttr(name xml.Name) (xml.Attr, error) {
	return xml.Attr{Name: name, Value: fmt.Sprintf("%.3f", float64(m)/1000)}, nil
}

func (c *junitCounts) add(other junitCounts) {
	c.Tests += other.Tests
	c.Failures += other.Failures
	c.Errors += other.Errors
	c.Skipped += other.Skipped
	c.Time += other.Time
}

// add appends a case to the suite and counts it.
func (s *junitSuite) add(c junitCase) {
	one := junitCounts{Tests: 1, Time: c.Time}
	switch {
	case c.Error != nil:
		one.Errors = 1
	case c.Failure != nil:
		one.Failures = 1
	case c.Skipped != nil:
		one.Skipped = 1
	}
	s.junitCounts.add(one)
	s.Cases = append(s.Cases, c)
}

func (root *junitSuites) addSubmission(r *record) {
	problem, properties := "submission", junitNotes(r)
	if s := r.started; s != nil {
		problem = sanitizeLine(s.Problem)
		properties = append(properties, []junitProperty{
			{"problem", problem}, {"program", sanitizeLine(s.Program)}, {"language", sanitizeLine(s.Language)},
			{"time limit", seconds(float64(s.TimeMS))}, {"memory limit", formatSize(s.Memory)},
		}...)
		properties = append(properties, sandboxProperties(s.Isolation, s.Unenforced)...)
	}
	if score := r.total(); score != nil {
		properties = append(properties, junitProperty{"score", score.String()})
	}
	if r.built != nil && r.built.Verdict != judge.NotJudged {
		suite := &junitSuite{Name: problem + ".build", Properties: properties}
		suite.add(junitCase{Name: "build", Class: problem, Time: junitMillis(r.built.Millis),
			Failure: &junitFailure{r.built.Verdict.Words(), verdictCode(r.built.Verdict), sanitize(r.built.Log)}})
		root.Suites = append(root.Suites, suite)
	}
	for _, g := range r.groupsSoFar() {
		suite := &junitSuite{Name: problem + "." + sanitizeLine(g.Group), Properties: properties}
		for _, c := range r.casesOf(g.Group) {
			suite.add(junitCaseOf(suite.Name, c))
		}
		root.Suites = append(root.Suites, suite)
	}
	root.checkComplete(problem, properties, r.finished != nil || r.empty())
}

// checkComplete adds an error to the file if finished is false, because CI must not accept an incomplete run.
func (root *junitSuites) checkComplete(problem string, properties []junitProperty, finished bool) {
	if !finished {
		suite := &junitSuite{Name: problem + ".judge", Properties: properties}
		suite.add(junitCase{Name: "finished", Class: suite.Name, Error: &junitFailure{
			Message: "the judge stopped before the end", Type: "stopped",
		}})
		root.Suites = append(root.Suites, suite)
	}
}

func junitNotes(r *record) []junitProperty {
	var all []junitProperty
	for _, note := range r.notes {
		all = append(all, junitProperty{"note", sanitizeLine(note)})
	}
	return all
}

func sandboxProperties(level string, weaker []string) []junitProperty {
	all := []junitProperty{{"sandbox", sanitizeLine(level)}}
	if len(weaker) > 0 {
		all = append(all, junitProperty{"not enforced", sanitizeLine(strings.Join(weaker, ", "))})
	}
	return all
}

func junitCaseOf(class string, c *judge.CaseJudged) junitCase {
	one := junitCase{Name: sanitizeLine(c.Case), Class: class, Time: junitMillis(millis(c.Exec.CPU))}
	if c.Stderr != "" {
		one.Stderr = &junitText{sanitize(c.Stderr)}
	}
	message := c.Verdict.Words()
	if c.Message != "" {
		message += ": " + sanitizeLine(c.Message)
	}
	switch c.Verdict {
	case judge.Accepted:
	case judge.Skipped, judge.NotJudged:
		one.Skipped = &junitSkipped{}
	case judge.JudgeError:
		one.Error = &junitFailure{message, verdictCode(c.Verdict), plainFailure(c)}
	default:
		one.Failure = &junitFailure{message, verdictCode(c.Verdict), plainFailure(c)}
	}
	return one
}

// plainFailure returns the text that the terminal shows for a failed case. Standard error is omitted, because it
// has its own element.
func plainFailure(c *judge.CaseJudged) string {
	t := Terminal(nil, TerminalOptions{Width: 100}).(*terminal)
	quiet := *c
	quiet.Stderr = ""
	t.writeFailure(&quiet)
	return strings.TrimLeft(t.page.String(), "\n")
}

func (root *junitSuites) addVerification(r *record) {
	problem, properties := "verification", junitNotes(r)
	if v := r.verify; v != nil {
		problem = sanitizeLine(v.Problem)
		properties = append(properties, junitProperty{"problem", problem})
		properties = append(properties, sandboxProperties(v.Isolation, v.Unenforced)...)
	}
	checks := &junitSuite{Name: problem + ".checks", Properties: properties}
	for _, c := range r.checks {
		one := junitCase{Name: sanitizeLine(c.What), Class: checks.Name}
		if c.Faults > 0 {
			one.Failure = &junitFailure{Message: fmt.Sprintf("%s in %d", judge.Quantity(c.Faults, "fault"), c.Count), Type: "fault"}
		}
		checks.add(one)
	}
	for _, f := range r.faults {
		checks.add(junitCase{Name: sanitizeLine(f.File + ": " + f.Text), Class: checks.Name, File: sanitizeLine(f.File),
			Failure: &junitFailure{sanitizeLine(f.Text), "fault", sanitize(f.Error())}})
	}
	solutions := &junitSuite{Name: problem + ".solutions", Properties: properties}
	for _, s := range r.solutions {
		one := junitCase{Name: sanitizeLine(s.Path), Class: solutions.Name, Time: junitMillis(s.TimeMS), File: sanitizeLine(s.Path)}
		switch {
		case s.Verdict == judge.Skipped:
			one.Skipped = &junitSkipped{sanitizeLine(s.Note)}
		case !s.OK:
			want := s.Expected
			if s.Promised != judge.NotJudged {
				want = s.Promised.Words()
			}
			message := s.Note // set if a score or message was expected
			if want != "" {
				message = fmt.Sprintf("want %s, got %s", want, s.Verdict.Words())
			}
			one.Failure = &junitFailure{
				Message: sanitizeLine(message),
				Type:    verdictCode(s.Verdict),
				Text:    sanitize(strings.TrimSpace(s.Note + "\n" + strings.Join(s.Killers, "\n"))),
			}
		}
		solutions.add(one)
	}
	root.Suites = append(root.Suites, checks, solutions)
	root.checkComplete(problem, properties, r.verified != nil)
}
