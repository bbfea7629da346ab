package exchange

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/example"
	"assay/judge/internal/pictures"
	"assay/judge/problem"
)

// writePackageTable writes the [package] table: the metadata of the package that does not affect judging.
func (m *importer) writePackageTable() error {
	a := m.pkg.About
	var all tomlFile
	t := &all
	if main := m.mainLanguage(); main != "en" {
		t.text("language", main)
	}
	t.text("uuid", a.UUID)
	t.text("version", a.Version)
	t.text("license", a.License)
	t.text("rights_owner", a.Owner)
	t.text("embargo_until", a.Embargo)
	t.texts("keywords", a.Keywords)
	t.texts("languages", a.Languages)
	if len(a.Languages) > 0 {
		m.notes.add("submissions in all languages are judged; the package has only: %s", strings.Join(a.Languages, ", "))
	}
	names := maps.Clone(a.Names)
	delete(names, m.mainLanguage())
	if len(names) > 0 {
		t.table("package.names")
		for _, language := range slices.Sorted(maps.Keys(names)) {
			t.text(tomlString(language), names[language])
		}
	}
	if len(a.Credits) > 0 {
		t.table("package.credits")
		for _, kind := range slices.Sorted(maps.Keys(a.Credits)) {
			t.texts(tomlString(kind), a.Credits[kind])
		}
	}
	if all.Len() > 0 {
		m.toml.table("package")
		m.toml.WriteString(all.String())
	}
	return nil
}

// mainLanguage returns the language of the title and of the first statement.
func (m *importer) mainLanguage() string {
	if len(m.pkg.Statements) > 0 {
		return m.pkg.Statements[0].Language
	}
	return "en"
}

// statements writes the statements in Markdown, and copies the pictures beside them.
func (m *importer) statements() error {
	written := map[string]bool{}
	for _, s := range m.pkg.Statements {
		if s.Kind == "pdf" || s.Kind == "html" || written[s.Language] {
			continue
		}
		text, err := m.pkg.Convert(s)
		if err != nil {
			continue // a missing statement is reported below
		}
		if m.hasSamples() && !problem.Marked(text) && len(example.Find(text)) == 0 {
			text = strings.TrimRight(text, "\n") + "\n\n" + restMark + "\n" // where programs that read the package put them
		}
		written[s.Language] = true
		name := "statement.md"
		if s.Language != m.mainLanguage() {
			name = "statement." + s.Language + ".md"
		}
		if s.Kind == "tex" {
			m.notes.add("the statement was turned from LaTeX into Markdown: read it once (%s)", name)
		}
		if err := write(filepath.Join(m.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
		if err := copyPictures(
			&m.notes, []byte(text), m.pkg.Dir,
			filepath.Dir(filepath.Join(m.pkg.Dir, filepath.FromSlash(s.Name))), m.dir,
		); err != nil {
			return err
		}
	}
	for _, s := range m.pkg.Statements {
		if !written[s.Language] {
			written[s.Language] = true
			m.notes.add("the statement in the language %s is left out: it is neither in Markdown nor in LaTeX", s.Language)
		}
	}
	if len(m.pkg.Statements) == 0 {
		m.notes.add("there is no statement in Markdown or LaTeX")
	}
	return nil
}

// hasSamples reports whether the package has sample cases.
func (m *importer) hasSamples() bool {
	return slices.ContainsFunc(m.pkg.Groups, func(g judge.Group) bool {
		return len(g.Cases) > 0 && (g.Name == problem.Sample || strings.HasPrefix(g.Name, problem.Sample+"/"))
	})
}

// copyPictures copies the pictures that a statement shows, and keeps their names. It copies them from the
// statement's directory, which is below root, to the directory given by the parameter to.
func copyPictures(n *Notes, markdown []byte, root, folder, to string) error {
	for _, p := range pictures.Paths(markdown) {
		file, ok := problem.FindPicture(root, folder, p.Path)
		if !ok {
			n.add("the picture %s of the statement is not there", p.Path)
			continue
		}
		name, err := filepath.Rel(folder, file)
		if err != nil || !filepath.IsLocal(name) {
			n.add("the picture %s of the statement is left out: it is not below the statement's directory", p.Path)
			continue
		}
		if err := copyFile(file, filepath.Join(to, name)); err != nil && !errors.Is(err, fs.ErrExist) { // two languages may show it
			return err
		}
	}
	return nil
}

// statements writes the statements of all languages, and copies the pictures beside them.
func (e *exporter) statements() error {
	all := e.from.Statements()
	all[e.language()] = e.from.Statement()
	dir := "statement"
	if e.legacy {
		dir = "problem_statement"
	}
	found := false
	for _, language := range slices.Sorted(maps.Keys(all)) {
		data, err := os.ReadFile(all[language])
		if err != nil {
			continue // statement.md: a missing one is reported below
		}
		found = true
		data = e.exported(data)
		if err := copyPictures(&e.notes, data, e.from.Dir, filepath.Dir(all[language]), filepath.Join(e.dir, dir)); err != nil {
			return err
		}
		if e.legacy && e.options.TeX != nil {
			if err := e.redraw(data, all[language], filepath.Join(e.dir, dir)); err != nil {
				return err
			}
		}
		name := "problem." + language + ".md"
		if e.legacy && e.options.TeX != nil { // the legacy format has no Markdown
			var latex bytes.Buffer
			if err := e.options.TeX(&latex, e.name(language), data); err != nil {
				return err
			}
			name, data = "problem."+language+".tex", latex.Bytes()
		}
		if err := write(filepath.Join(e.dir, dir, name), data, 0o644); err != nil {
			return err
		}
	}
	if !found {
		e.notes.add("there is no statement")
	}
	return nil
}

// exported converts a statement to the package's form. Programs that read the package add the samples, so copies
// of the samples in the statement are removed. The marks for samples are converted to those of the package format.
func (e *exporter) exported(markdown []byte) []byte {
	text := string(markdown)
	if k := e.from.Kind; !k.Interactive && !k.MultiPass { // otherwise examples are dialogues
		samples := e.sampleInputs()
		text = example.RemoveSamples(text, func(in example.Text) bool {
			return slices.ContainsFunc(samples, in.Equals) || slices.ContainsFunc(samples, in.Abbreviates)
		})
		if text != string(markdown) {
			e.notes.add("the examples of the statement that are samples are left out: readers of the package add the samples")
		}
	}
	text = problem.MarkSamples(text, func(mark string) string {
		switch {
		case e.legacy:
			return "" // programs that read the package put all samples at the end
		case mark == "nextsample":
			return "{{nextsample}}"
		}
		return restMark
	})
	if before, found := strings.CutSuffix(strings.TrimRight(text, "\n"), "\n\n"+restMark); found {
		text = before + "\n" // samples are put at the end anyway
	}
	return []byte(text)
}

// restMark is the mark that stands for all remaining samples.
const restMark = "{{remainingsamples}}"

// largestSample is the maximum size of a sample input that is compared with examples, in bytes.
const largestSample = 1 << 20

// sampleInputs returns the inputs of the samples.
func (e *exporter) sampleInputs() (inputs []string) {
	for _, g := range e.from.Groups {
		if g.Name != problem.Sample && !strings.HasPrefix(g.Name, problem.Sample+"/") {
			continue
		}
		for _, c := range g.Cases {
			if info, err := os.Stat(c.In); err == nil && info.Size() <= largestSample {
				data, _ := os.ReadFile(c.In) // e.data reports the error
				inputs = append(inputs, string(data))
			}
		}
	}
	return inputs
}

// language returns the language of the title and of statement.md.
func (e *exporter) language() string { return cmp.Or(e.from.About.Language, "en") }

// name returns the problem's name in a language.
func (e *exporter) name(language string) string {
	if language == e.language() {
		return e.from.Title
	}
	return cmp.Or(e.from.About.Names[language], e.from.Title)
}

// names writes the problem's names in the languages that have a statement.
func (e *exporter) names(b *strings.Builder) {
	all := e.from.Statements()
	for language := range e.from.About.Names {
		if all[language] == "" && language != e.language() {
			e.notes.add("the name in the language %s is left out: there is no statement.%[1]s.md", language)
		}
	}
	all[e.language()] = e.from.Statement()
	if len(all) == 1 && e.language() == "en" {
		fmt.Fprintf(b, "name: %s\n", yamlText(e.from.Title))
		return
	}
	b.WriteString("name:\n")
	for _, language := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(b, "  %s: %s\n", yamlText(language), yamlText(e.name(language)))
	}
}

// writeMetadata writes to problem.yaml the metadata that does not affect judging.
func (e *exporter) writeMetadata(b *strings.Builder) {
	a := e.from.About
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(b, "%s: %s\n", key, yamlText(value))
		}
	}
	line("uuid", cmp.Or(a.UUID, uuid(e.from.ID)))
	line("license", a.License)
	line("rights_owner", a.Owner)
	if e.legacy {
		e.writeLegacyMetadata(line)
		return
	}
	line("version", a.Version)
	if strings.Trim(a.Embargo, "0123456789-:TZ") == "" && a.Embargo != "" { // some programs reject a date where they expect text
		fmt.Fprintf(b, "embargo_until: %s\n", a.Embargo)
	} else {
		line("embargo_until", a.Embargo)
	}
	list := func(key string, values []string) {
		for i, v := range values {
			if i == 0 {
				fmt.Fprintf(b, "%s:\n", key)
			}
			fmt.Fprintf(b, "  - %s\n", yamlText(v))
		}
	}
	list("keywords", a.Keywords)
	list("languages", a.Languages)
	credits := maps.Clone(a.Credits)
	if len(credits["translators"]) > 0 {
		e.notes.add("the translators are left out: problem.toml does not say into which language they translated")
		delete(credits, "translators")
	}
	for i, kind := range slices.Sorted(maps.Keys(credits)) {
		if i == 0 {
			b.WriteString("credits:\n")
		}
		quoted := make([]string, len(credits[kind]))
		for i, person := range credits[kind] {
			quoted[i] = yamlText(person)
		}
		fmt.Fprintf(b, "  %s: [%s]\n", kind, strings.Join(quoted, ", "))
	}
	for i, s := range strings.Split(e.from.Source, "; ") {
		name, url := nameAndURL(s)
		switch {
		case name == "":
			continue
		case i == 0:
			b.WriteString("source:\n")
		}
		fmt.Fprintf(b, "  - name: %s\n", yamlText(name))
		if url != "" {
			fmt.Fprintf(b, "    url: %s\n", yamlText(url))
		}
	}
}

// writeLegacyMetadata writes the metadata whose keys have another form in the legacy format than in later formats.
func (e *exporter) writeLegacyMetadata(line func(key, value string)) {
	a := e.from.About
	line("author", strings.Join(a.Credits["authors"], ", "))
	words := make([]string, len(a.Keywords))
	for i, k := range a.Keywords {
		words[i] = strings.Join(strings.Fields(k), "-")
	}
	line("keywords", strings.Join(words, " "))
	name, url := nameAndURL(e.from.Source)
	line("source", name)
	if name != "" {
		line("source_url", url)
	}
	for _, row := range []struct {
		key   string
		there bool
	}{{"version", a.Version != ""}, {"embargo_until", a.Embargo != ""}, {"languages", len(a.Languages) > 0},
		{"credits other than authors", len(a.Credits) > 1}} {
		if row.there {
			e.notes.add("the legacy format has no %s", row.key)
		}
	}
}

// nameAndURL splits a source, whose last word may be a URL.
func nameAndURL(source string) (name, url string) {
	words := strings.Fields(source)
	if last := len(words) - 1; last > 0 && strings.Contains(words[last], "://") {
		return strings.Join(words[:last], " "), words[last]
	}
	return strings.Join(words, " "), ""
}

// uuid derives a UUID from the problem's name. It is always the same for the same name.
func uuid(id string) string {
	sum := sha256.Sum256([]byte("assay problem " + id))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8: a custom format
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
