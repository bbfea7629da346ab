package example

import (
	"strings"
	"unicode"
)

// role reports whether a text is an input or an output.
type role int

const (
	none role = iota
	input
	output
)

// A class is what a heading, a label or the header of a column says.
type class struct {
	example bool   // it has a word for an example
	role    role   // it has a word for an input or an output, not for both
	number  string // the first one in it
	remark  bool   // it is about an explanation
	foreign bool   // it has other words, too
	exact   bool   // it has no other words, or only a title after its number
}

// isLabel reports whether a paragraph with these words labels what comes next.
func (c class) isLabel() bool { return !c.foreign && (c.example || c.role != none || c.remark) }

// Beginnings of words, lower-case, in the languages in which contests are held most.
var (
	exampleStems = []string{"example", "sample", "beispiel", "muster", "exemple", "échantillon", "ejemplo", "muestra",
		"пример", "приклад", "exemplo", "amostra", "esempi", "voorbeeld", "przykład", "příklad", "örnek"}
	inputStems = []string{"input", "stdin", "eingabe", "entrée", "entree", "entrada", "ввод", "входн", "ввід", "вхідн",
		"ingresso", "invoer", "wejści", "vstup", "girdi"}
	outputStems = []string{"output", "stdout", "ausgabe", "sortie", "salida", "вывод", "выходн", "вивід", "вихідн",
		"saída", "saida", "uscita", "uitvoer", "wyjści", "výstup", "çıktı"}
	remarkStems = []string{"explanation", "explain", "note", "remark", "comment", "hint",
		"erklärung", "erläuterung", "anmerkung", "hinweis",
		"explication", "remarque", "explicación", "explicacion", "nota",
		"пояснени", "примечани", "explicação", "spiegazione", "uitleg", "objaśnieni"}
	// fillers say nothing by themselves.
	fillers = words(`a an the for of to and no nr nº case cases test tests data file standard expected corresponding program
		zu zur zum für die der das und fall daten datei standard pour de du des le la les et d l cas données fichier standard
		para del el los las y caso datos к для и данные файл данных файла пример os da do das dos e dados caso
		di il per dati bij van het en do dla i dane txt`)
	// prepositions part an output from the input that it belongs to.
	prepositions = words(`for of to zu zur zum für pour de du para к для do da per bij van dla del`)
)

func words(s string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(s) {
		all[w] = true
	}
	return all
}

// maxLabel is the length of the longest heading or label, in bytes.
const maxLabel = 120

func classify(s string) class {
	if len(s) > maxLabel {
		return class{foreign: true}
	}
	c := classifyWords(s)
	c.exact = !c.foreign
	// "Sample 3, two jokers" and "Example 2 (a tie)": a title does not count.
	if at := strings.IndexAny(s, ",:;(–—"); at > 0 && !c.exact {
		head := classifyWords(s[:at])
		if head.example && !head.foreign && head.number != "" {
			head.exact, head.foreign = true, true
			return head
		}
	}
	return c
}

func classifyWords(s string) (c class) {
	var roles []role
	parted := false
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		known := false
		if begins(w, exampleStems) {
			c.example, known = true, true
			for _, stem := range exampleStems { // Beispieleingabe
				w = strings.TrimPrefix(w, stem)
			}
		}
		switch {
		case begins(w, inputStems):
			roles, known = append(roles, input), true
		case begins(w, outputStems):
			roles, known = append(roles, output), true
		case begins(w, remarkStems):
			c.remark, known = true, true
		case isNumber(w):
			if known = true; c.number == "" {
				c.number = w
			}
		case fillers[w]:
			known = true
			parted = parted || len(roles) == 1 && prepositions[w]
		}
		c.foreign = c.foreign || !known
	}
	switch {
	case len(roles) == 1, len(roles) > 1 && (parted || roles[0] == roles[1]):
		c.role = roles[0]
	}
	return c
}

func begins(w string, stems []string) bool {
	for _, stem := range stems {
		if strings.HasPrefix(w, stem) {
			return true
		}
	}
	return false
}

func isNumber(w string) bool {
	return w != "" && strings.Trim(w, "0123456789") == ""
}
