package exchange

import (
	"encoding/xml"
	"fmt"
)

// A polygonDocument is the problem.xml of a Polygon package, with the parts that an export writes.
type polygonDocument struct {
	XMLName     xml.Name            `xml:"problem"`
	Revision    int                 `xml:"revision,attr"`
	ShortName   string              `xml:"short-name,attr"`
	URL         string              `xml:"url,attr,omitempty"`
	Names       []polygonName       `xml:"names>name"`
	Statements  []polygonStatement  `xml:"statements>statement"`
	Judging     polygonJudging      `xml:"judging"`
	Resources   []polygonSource     `xml:"files>resources>file"`
	Executables []polygonExecutable `xml:"files>executables>executable"`
	Checker     *polygonChecker     `xml:"assets>checker"`
	Interactor  *polygonExecutable  `xml:"assets>interactor"`
	Validators  []polygonExecutable `xml:"assets>validators>validator"`
	Solutions   []polygonSolution   `xml:"assets>solutions>solution"`
	Tags        []polygonTag        `xml:"tags>tag"`
}

type polygonName struct {
	Language string `xml:"language,attr"`
	Value    string `xml:"value,attr"`
}

type polygonStatement struct {
	Charset  string `xml:"charset,attr"`
	Language string `xml:"language,attr"`
	MathJax  bool   `xml:"mathjax,attr"`
	Path     string `xml:"path,attr"`
	Type     string `xml:"type,attr"`
}

type polygonJudging struct {
	InputFile  string         `xml:"input-file,attr"` // empty for standard input
	OutputFile string         `xml:"output-file,attr"`
	Testset    polygonTestset `xml:"testset"`
}

type polygonTestset struct {
	Name        string         `xml:"name,attr"`
	TimeMS      int64          `xml:"time-limit"`
	MemoryBytes int64          `xml:"memory-limit"`
	TestCount   int            `xml:"test-count"`
	Input       string         `xml:"input-path-pattern"`
	Answer      string         `xml:"answer-path-pattern"`
	Tests       []polygonTest  `xml:"tests>test"`
	Groups      []polygonGroup `xml:"groups>group"`
}

type polygonTest struct {
	Method      string `xml:"method,attr"`
	Sample      bool   `xml:"sample,attr,omitempty"`
	Group       string `xml:"group,attr,omitempty"`
	Points      string `xml:"points,attr,omitempty"`
	Description string `xml:"description,attr,omitempty"`
}

type polygonGroup struct {
	Name         string              `xml:"name,attr"`
	Points       string              `xml:"points,attr"`
	Policy       string              `xml:"points-policy,attr"`
	Feedback     string              `xml:"feedback-policy,attr"`
	Dependencies []polygonDependency `xml:"dependencies>dependency"`
}

type polygonDependency struct {
	Group string `xml:"group,attr"`
}

type polygonSource struct {
	Path string `xml:"path,attr"`
	Type string `xml:"type,attr"`
}

type polygonExecutable struct {
	Source polygonSource `xml:"source"`
}

type polygonChecker struct {
	Name   string         `xml:"name,attr,omitempty"` // of a standard checker
	Type   string         `xml:"type,attr"`
	Source *polygonSource `xml:"source"` // nil for a standard checker
}

type polygonSolution struct {
	Tag    string        `xml:"tag,attr"`
	Source polygonSource `xml:"source"`
}

type polygonTag struct {
	Value string `xml:"value,attr"`
}

// encode returns the document as an XML file. The encoder escapes names, and replaces characters that XML forbids.
func (d *polygonDocument) encode() ([]byte, error) {
	text, err := xml.MarshalIndent(d, "", "    ")
	if err != nil {
		return nil, fmt.Errorf("write problem.xml: %w", err)
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}
