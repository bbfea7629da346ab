package example

import (
	"strings"
	"unicode"
)

// role is whether a text is an input or an output.
type role int

const (
	none role = iota
	input
	output
)

// A class is the meaning of a heading, a label or a column header.
type class struct {
	example bool   // it contains a word for example
	role    role   // it contains a word for input or for output, but not both
	number  string // first number in it
	remark  bool   // it introduces an explanation
	foreign bool   // it contains other words
	exact   bool   // it has no other words, except a title after its number
}

// isLabel reports whether a paragraph of class c labels the text after it.
func (c class) isLabel() bool { return !c.foreign && (c.example || c.role != none || c.remark) }

// Lower-case word beginnings in the most common contest languages.
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
	// fillers are words without a meaning of their own.
	fillers = words(`a an the for of to and no nr nº case cases test tests data file standard expected corresponding program
		zu zur zum für die der das und fall daten datei standard pour de du des le la les et d l cas données fichier standard
		para del el los las y caso datos к для и данные файл данных файла пример os da do das dos e dados caso
		di il per dati bij van het en do dla i dane txt`)
	// prepositions separate an output from the input to which it belongs.
	prepositions = words(`for of to zu zur zum für pour de du para к для do da per bij van dla del`)
)

func words(s string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(s) {
		all[w] = true
	}
	return all
}

// maxLabel is the maximum length of a heading or label, in bytes.
const maxLabel = 120

func classify(s string) class {
	if len(s) > maxLabel {
		return class{foreign: true}
	}
	c := classifyWords(s)
	c.exact = !c.foreign
	// A title after the number is ignored, as in "Sample 3, two jokers" and "Example 2 (a tie)".
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
			for _, stem := range exampleStems { // compound words, such as Beispieleingabe
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
