package contestpackage

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// columns maps each TSV file to the JSON keys of its columns. A column with an empty key is not imported.
var columns = map[string][]string{
	"groups.tsv":   {"id", "name"},
	"teams2.tsv":   {"id", "icpc_id", "group_ids", "name", "formal_name", "organization", "country", "organization_id"},
	"accounts.tsv": {"type", "name", "username", "password", "ip"},
	// The columns after the names differ from year to year.
	"institutions2.tsv": {"id", "formal_name", "name"},
}

// leastColumns is the minimum number of columns of a line, by file.
var leastColumns = map[string]int{"groups.tsv": 2, "teams2.tsv": 4, "accounts.tsv": 3, "institutions2.tsv": 2}

// firstLines maps each file to a pattern for its first line, which names its format.
var firstLines = map[string]*regexp.Regexp{
	"groups.tsv":        regexp.MustCompile(`^(groups|File_Version)\t`),
	"teams2.tsv":        regexp.MustCompile(`^(teams2|File_Version)\t`),
	"accounts.tsv":      regexp.MustCompile(`^(accounts|File_Version)\t`),
	"institutions2.tsv": regexp.MustCompile(`^(institutions2|File_Version)\t`),
}

var (
	countryPattern = regexp.MustCompile(`^[A-Z]{3}$`)
	webPagePattern = regexp.MustCompile(`^https?://`)
	number         = regexp.MustCompile(`[0-9]+$`)
)

// tsv parses a file with one object per line and tab-separated values.
func (r *reader) tsv(name string, data []byte) (items []item) {
	if !utf8.Valid(data) {
		line := 1
		for text := range strings.Lines(string(data)) {
			if !utf8.ValidString(text) {
				break
			}
			line++
		}
		r.addFault(name, line, "save the file as UTF-8", "the file is not in UTF-8")
		return nil
	}
	first := true
	offset := 0
	for text := range strings.Lines(string(data)) {
		offset++
		text = strings.TrimRight(text, "\r\n")
		if first {
			if first = false; !firstLines[name].MatchString(text) {
				word := strings.TrimSuffix(strings.TrimSuffix(name, ".tsv"), " ")
				r.addFault(name, offset, "the file begins with the line "+word+", a tab, and a number", "the first line is %.40q", text)
			}
			continue
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		cells := strings.Split(text, "\t")
		if len(cells) < leastColumns[name] {
			r.addFault(
				name, offset, "put a tab between the values", "the line has %d columns; the least is %d", len(cells),
				leastColumns[name],
			)
			continue
		}
		one := item{file: name, line: offset, values: map[string]value{}, lines: map[string]int{}}
		set := func(key, text string) {
			if text = strings.TrimSpace(text); text != "" {
				one.keys = append(one.keys, key)
				one.values[key], one.lines[key] = value{text: text}, offset
			}
		}
		for i, key := range columns[name] {
			if i < len(cells) {
				set(key, cells[i])
			}
		}
		switch name {
		case "institutions2.tsv":
			one.institutionColumns(cells[min(len(cells), len(columns[name])):], set)
		case "teams2.tsv":
			set("organization_id", institution(one.text("organization_id")))
		}
		items = append(items, one)
	}
	if first {
		r.addFault(name, 1, "", "the file is empty")
	}
	return items
}

// institutionColumns reads the columns of an institution after the names.
func (o *item) institutionColumns(cells []string, set func(key, text string)) {
	id := institution(o.text("id"))
	set("id", id)
	set("icpc_id", id)
	if o.text("name") == "" {
		set("name", o.text("formal_name"))
	}
	for _, text := range cells {
		switch text = strings.TrimSpace(text); {
		case countryPattern.MatchString(text):
			set("country", text)
		case webPagePattern.MatchString(text):
			set("url", text)
		}
	}
}

// institution returns the id of an institution without the prefix of the registration system.
func institution(id string) string {
	for _, prefix := range []string{"INST-U-", "INST-"} {
		if rest, is := strings.CutPrefix(id, prefix); is {
			id = rest
			break
		}
	}
	if trimmed := strings.TrimLeft(id, "0"); trimmed != "" {
		return trimmed
	}
	return id
}

// teamOf returns the team id for a username in accounts.tsv, which has no column for the team. The id is the
// number at the end of the username. It is empty if the username does not end in a number.
func teamOf(username string) string {
	digits := number.FindString(username)
	if trimmed := strings.TrimLeft(digits, "0"); trimmed != "" {
		return trimmed
	}
	return digits
}
