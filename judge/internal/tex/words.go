package tex

import "strings"

// headings contains the headings of statements in English and in the most common languages of contests. If a
// language has no heading, the English one is used.
var headings = wordTable(`
en, Input, Output, Interaction, Scoring, Note, Notes, Explanation,
  Explanations, Illustration, Constraints, Sample, Figure, Table
cs, Vstup, Výstup, Interakce, Bodování, Poznámka, Poznámky, Vysvětlení,
  Vysvětlení, Ilustrace, Omezení, Příklad, Obrázek, Tabulka
da, Input, Output, Interaktion, Pointgivning, Note, Noter, Forklaring,
  Forklaringer, Illustration, Begrænsninger, Eksempel, Figur, Tabel
de, Eingabe, Ausgabe, Interaktion, Bewertung, Anmerkung, Anmerkungen, Erklärung,
  Erklärungen, Illustration, Beschränkungen, Beispiel, Abbildung, Tabelle
es, Entrada, Salida, Interacción, Puntuación, Nota, Notas, Explicación,
  Explicaciones, Ilustración, Restricciones, Ejemplo, Figura, Tabla
fr, Entrée, Sortie, Interaction, Score, Remarque, Remarques, Explication,
  Explications, Illustration, Contraintes, Exemple, Figure, Tableau
id, Masukan, Keluaran, Interaksi, Penilaian, Catatan, Catatan, Penjelasan,
  Penjelasan, Ilustrasi, Batasan, Contoh, Gambar, Tabel
it, Input, Output, Interazione, Punteggio, Nota, Note, Spiegazione,
  Spiegazioni, Illustrazione, Vincoli, Esempio, Figura, Tabella
nl, Invoer, Uitvoer, Interactie, Puntentelling, Opmerking, Opmerkingen, Uitleg,
  Uitleg, Illustratie, Beperkingen, Voorbeeld, Figuur, Tabel
pl, Wejście, Wyjście, Interakcja, Punktacja, Uwaga, Uwagi, Wyjaśnienie,
  Wyjaśnienia, Ilustracja, Ograniczenia, Przykład, Rysunek, Tabela
pt, Entrada, Saída, Interação, Pontuação, Nota, Notas, Explicação,
  Explicações, Ilustração, Restrições, Exemplo, Figura, Tabela
ru, Входные данные, Выходные данные, Протокол взаимодействия, Система оценки, Замечание, Замечания, Пояснение,
  Пояснения, Иллюстрация, Ограничения, Пример, Рисунок, Таблица
sv, Indata, Utdata, Interaktion, Poängsättning, Anmärkning, Anmärkningar, Förklaring,
  Förklaringar, Illustration, Begränsningar, Exempel, Figur, Tabell
uk, Вхідні дані, Вихідні дані, Протокол взаємодії, Система оцінювання, Примітка, Примітки, Пояснення,
  Пояснення, Ілюстрація, Обмеження, Приклад, Рисунок, Таблиця
`)

// wordTable parses a table with one line per language. A line contains a language code and the translations of the
// words in the first line.
func wordTable(text string) map[string]map[string]string {
	all := map[string]map[string]string{}
	var english []string
	for line := range strings.Lines(strings.ReplaceAll(strings.TrimSpace(text), ",\n ", ",")) {
		cells := strings.Split(strings.TrimSpace(line), ", ")
		if english == nil {
			english = cells
		}
		words := map[string]string{}
		for k, word := range cells[1:] {
			words[english[k+1]] = word
		}
		all[cells[0]] = words
	}
	return all
}

// Word returns a heading, such as Input or Sample, in the language with the given code, such as "de" or "pt-BR".
// It returns the English word if the word or the language is unknown.
func Word(language, english string) string {
	code, _, _ := strings.Cut(strings.ToLower(language), "-")
	if word, ok := headings[code][english]; ok {
		return word
	}
	return english
}
