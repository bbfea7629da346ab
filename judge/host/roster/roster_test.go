package roster

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"assay/judge"
)

// utf16Of encodes a text in UTF-16 with a byte order mark.
func utf16Of(text string, little bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
		pair := []byte{byte(u >> 8), byte(u)}
		if little {
			pair[0], pair[1] = pair[1], pair[0]
		}
		out = append(out, pair...)
	}
	return out
}

// windows encodes a text in Windows-1252.
func windows(text string) []byte {
	var out []byte
	for _, c := range text {
		if i := slices.Index(windowsUpper, c); i >= 0 && c != ' ' {
			c = rune(0x80 + i)
		}
		out = append(out, byte(c))
	}
	return out
}

// short formats each row of a list as one line: its fields, separated by |, without empty fields at the end.
func short(l *List) string {
	var lines []string
	for _, r := range l.Rows {
		cells := []string{r.Name, r.Login, r.Email, r.Password, r.Team, r.Group}
		line := strings.TrimRight(strings.Join(cells, "|"), "|")
		if r.Wrong != "" {
			line += " !" + r.Wrong
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

const class = "Name;Benutzername;E-Mail;Klasse\r\nJürgen Groß;juergen;j@example.org;9a\r\n\"Müller; Änne\";aenne;;9b\r\n"

const classRows = "Jürgen Groß|juergen|j@example.org|||9a\nMüller; Änne|aenne||||9b"

func TestFlavors(t *testing.T) {
	tabs := strings.ReplaceAll(strings.ReplaceAll(class, "\"Müller; Änne\"", "Müller, Änne"), ";", "\t")
	tabRows := strings.ReplaceAll(classRows, "Müller; Änne", "Müller, Änne")
	for name, tt := range map[string]struct {
		data           []byte
		encoding, sep  string
		want           string
		ignored, lines string
	}{
		"Excel, CSV UTF-8":                 {[]byte("\uFEFF" + class), "UTF-8", ";", classRows, "", "2 3"},
		"LibreOffice, UTF-8":               {[]byte(strings.ReplaceAll(class, "\r\n", "\n")), "UTF-8", ";", classRows, "", "2 3"},
		"Excel, CSV in Germany":            {windows(class), Windows1252, ";", classRows, "", "2 3"},
		"Excel, Unicode text":              {utf16Of(tabs, true), "UTF-16 LE", "\t", tabRows, "", "2 3"},
		"UTF-16 BE":                        {utf16Of(class, false), "UTF-16 BE", ";", classRows, "", "2 3"},
		"UTF-16, further planes":           {utf16Of("Name;Login\nŁukasz 🎈;l\n🎈;b", true), "UTF-16 LE", ";", "Łukasz 🎈|l\n🎈|b", "", "2 3"},
		"Windows-1252, a first empty line": {windows("\nName;Kurs\r\nJürgen;5 €\r\n"), Windows1252, ";", "Jürgen|||||5 €", "", "3"},
		"Excel, text with tabs":            {windows(tabs), Windows1252, "\t", tabRows, "", "2 3"},
		"pasted cells": {[]byte("Name\tLogin\nJoe \"Joey\" Doe\tjoe\n\"Jo\" Doe\tjo\n\"a\tb\n"), "UTF-8", "\t",
			"Joe \"Joey\" Doe|joe\n\"Jo\" Doe|jo\n\"a|b", "", "2 3 4"},
		"Google, commas": {[]byte("First Name [Required],Last Name [Required],Email Address [Required],Password [Required]\n" +
			"Ada,\"Lovelace\",a@x.org,12345678"), "UTF-8", ",", "Ada Lovelace||a@x.org|12345678", "", "2"},
		"Moodle": {[]byte("username,firstname,lastname,email,cohort1\nada,Ada,Lovelace,a@x.org,c\n"), "UTF-8",
			",", "Ada Lovelace|ada|a@x.org", "cohort1", "2"},
		"the separator is named": {[]byte("sep=;\r\nname;login\r\nOtto Lang;otto1\r\n"), "UTF-8", ";", "Otto Lang|otto1", "", "3"},
		"the separator is named, with a mark": {[]byte("\uFEFFSEP=,\r\nname,login\r\nOtto; Lang,otto1\r\n"), "UTF-8", ",", "Otto; Lang|otto1",
			"", "3"},
		"the name of the separator is quoted": {[]byte("\"sep=;\"\nname;login\na;b\n"), "UTF-8", ";", "a|b", "", "3"},
		"a tab is named":                      {[]byte("sep=\t\nname\tlogin\na\tb\n"), "UTF-8", "\t", "a|b", "", "3"},
		"a named separator was saved again":   {[]byte("sep=;,,\nname;login\na;b\n"), "UTF-8", ";", "a|b", "", "3"},
		"a named separator, names alone":      {[]byte("sep=;\nAda\nAlan\n"), "UTF-8", ";", "Ada\nAlan", "", "2 3"},
		"two marks":                           {[]byte("\uFEFF\uFEFFname;login\na;b"), "UTF-8", ";", "a|b", "", "2"},
		"two marks before names":              {[]byte("\uFEFF\uFEFFAda"), "UTF-8", "", "Ada", "", "1"},
		"bars":                                {[]byte("Name|Login\na|b"), "UTF-8", "|", "a|b", "", "2"},
		"cells of several lines": {[]byte("\"Full\nname\";\"E-Mail\nAdresse\"\n\"Ada\r\n Lovelace\";a@x\nAlan;b@x\n"), "UTF-8",
			";", "Ada Lovelace||a@x\nAlan||b@x", "", "4 6"},
		"a quote in a cell": {[]byte("name,login\n\"Joe \"\"Joey\"\" Doe\", joe\n\"a\" , \"b\"\n"), "UTF-8", ",",
			"Joe \"Joey\" Doe|joe\na|b", "", "2 3"},
		"empty lines and cells": {[]byte("\n ;;\nName;Login;\n\nAda;ada;\n;;\n"), "UTF-8", ";", "Ada|ada", "", "5"},
		"old Mac line ends":     {[]byte("name;login\ra;b\r"), "UTF-8", ";", "a|b", "", "2"},
		"an unknown column": {[]byte("Nr;Name;Geburtstag;\n1;Ada;10.12.;x\n"), "UTF-8", ";", "Ada",
			"Nr,Geburtstag,column 4, without a name", "2"},
		"names": {[]byte("Ada Lovelace\n\n  Alan Turing \r\n\"Lovelace, Ada\"\n\"Joe\" Doe"), "UTF-8", "",
			"Ada Lovelace\nAlan Turing\nLovelace, Ada\n\"Joe\" Doe", "", "1 3 4 5"},
		"a lone column":     {[]byte("Name\nAda\n\"Lovelace, Ada\"\n"), "UTF-8", "", "Ada\nLovelace, Ada", "", "2 3"},
		"names in a column": {[]byte("Ada;;\nAlan;;\n"), "UTF-8", ";", "Ada\nAlan", "", "1 2"},
		"this server's own table": {[]byte("\uFEFFnumber,team,login,name,group,extra_minutes,penalty_minutes,hidden\n" +
			"1,'=x,ada,'=1;'+2,7a,,,false\n"), "UTF-8", ",", "=1;+2|ada|||=x|7a", "number,extra_minutes,penalty_minutes,hidden", "2"},
		"a name with an apostrophe": {[]byte("name,login\n't Hooft,a\n"), "UTF-8", ",", "'t Hooft|a", "", "2"},
		"accents in two parts":      {[]byte("Pre\u0301nom;Nom\nAnne;Mu\u0308ller\n"), "UTF-8", ";", "Anne Müller", "", "2"},
		"a table within rows with errors": {[]byte("name;login\nLovelace; Ada;ada\nAlan;alan\n"), "UTF-8", ";",
			"Lovelace|Ada !the row has 3 cells, but line 1 names 2 columns: put a cell that has a semicolon in double quotes\nAlan|alan", "", "2 3"},
		"names with a line of cells": {[]byte("Ada\nAlan;alan1\n"), "UTF-8", "",
			"Ada\nAlan;alan1 !the line has a semicolon: put the name in double quotes, or name the columns in the first line", "", "1 2"},
		"a column with a line of cells": {[]byte("Name\nAlan\talan1\n"), "UTF-8", "",
			"Alan\talan1 !the line has a tab: put the name in double quotes, or name the columns in the first line", "", "2"},
		"cells below a lone one": {[]byte("Ada;\nAlan;alan1\n"), "UTF-8", ";",
			"Ada\nAlan alan1 !the line has several cells, but no line above names the columns", "", "1 2"},
	} {
		l, err := Read(tt.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var lines []string
		for _, r := range l.Rows {
			lines = append(lines, fmt.Sprint(r.Line))
		}
		ignored := strings.Join((&Preview{Columns: l.Columns}).Ignored(), ",")
		if got := short(l); got != tt.want || l.Encoding != tt.encoding || l.Separator != tt.sep || ignored != tt.ignored ||
			strings.Join(lines, " ") != tt.lines {
			t.Errorf("%s is read as %s, separator %q, ignored %q, lines %q:\n%s\nwant\n%s", name, l.Encoding, l.Separator, ignored, lines, got,
				tt.want)
		}
		again, err := Read([]byte(l.Text))
		if err != nil || short(again) != short(l) {
			t.Errorf("%s: its text is another list: %v", name, err)
		}
	}
}

// TestColumns checks titles as users write them.
func TestColumns(t *testing.T) {
	for header, want := range map[string]string{
		"Vorname;Nachname;Klasse":                                  "first name|last name|group",
		"Name;Vorname;Klasse":                                      "last name|first name|group",
		"Name;Surname":                                             "first name|last name",
		"NAME ; E-MAIL-ADRESSE ; Team-Name":                        "name|e-mail|team",
		"Nom;Prénom;Identifiant;Courriel;Mot de passe;Équipe":      "last name|first name|username|e-mail|password|team",
		"nom de famille;PRENOM;nom d’utilisateur;classe":           "last name|first name|username|group",
		"Apellidos;Nombre;Correo electrónico;Contraseña;Clase":     "last name|first name|e-mail|password|group",
		"Nombre;Primer apellido;Segundo apellido;Equipo":           "first name|last name|last name|team",
		"Nombre completo;Usuario;Grupo":                            "name|username|group",
		"Nombre;Usuario":                                           "name|username",
		"Full name;User name;Class;Group":                          "name|username|group|group",
		"Schüler/in;Login-Name;Passwort":                           "name|username|password",
		"SCHUELER;Benutzer-ID;Kennwort":                            "name|username|password",
		"Nachname / Nom;Vorname / Prénom":                          "last name|first name",
		"Vorname/Name;Klasse / Class;E-Mail/Mail":                  "name|group|e-mail",
		"Prénom / Name;Kurs":                                       "name|group",
		"First name / Nombre;Last name / Apellidos":                "first name|last name",
		"Vorname/Nachname;Kurs":                                    "name|group",
		"Name (Pflicht);Login [optional];E_Mail*":                  "name|username|e-mail",
		"Name;First name;Last name;Login/E-Mail":                   "name|first name|last name|",
		"User\u00a0Name;Full\u200bName":                            "username|name",
		"\"E-Mail\";\"Name\"":                                      "e-mail|name",
		"Student First Name;Student Last Name;Student Email":       "first name|last name|e-mail",
		"Legal Surname;Preferred Forename;Year Group;Parent email": "last name|first name|group|",
		"Vorname des Schülers;Name des Schülers;Stammklasse":       "first name|last name|group",
		"Nom de l'élève;Prénom de l'élève;Division":                "last name|first name|group",
		"Nom élève;Classe":                                         "name|group",
		"Alumno/a;Correo del alumno/a;Sección;Alumno ID":           "name|e-mail|group|",
		"Schülername;Geburtsname des Schülers":                     "name|",
		"Vorname des Schülers / Prénom de l'élève;Kurs":            "first name|group",
		"Display name;Given name;Family name;Username":             "name|first name|last name|username",
	} {
		l, err := Read([]byte(header + "\n" + strings.Repeat("x;", strings.Count(header, ";"))))
		if err != nil {
			t.Errorf("%s: %v", header, err)
			continue
		}
		var got []string
		for _, c := range l.Columns {
			got = append(got, string(c.Field))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, want %q", header, got, want)
		}
	}
}

func TestNamesAreJoined(t *testing.T) {
	for list, want := range map[string]string{
		"Vorname;Nachname\nHans;Meier\n;Sting\nCher;":               "Hans Meier\nSting\nCher",
		"Apellido 2;Nombre;Apellido 1\nPaz;Luz;Gil":                 "Luz Paz Gil",
		"Anzeigename;Vorname;Nachname\nHansi;Hans;Meier\n;Ida;Groß": "Hansi\nIda Groß",
		"Name;Klasse;Gruppe\nAda;9a;\nAlan;9a;Schach\nBo;;\"x, y\"": "Ada|||||9a\nAlan|||||9a, Schach\nBo|||||x, y",
		"Name;Passwort\nAda; pass wort1 ":                           "Ada|||pass wort1",
	} {
		l, err := Read([]byte(list))
		if err != nil || short(l) != want {
			t.Errorf("%q: got %q, %v; want %q", list, short(l), err, want)
		}
	}
}

func TestRefusedLists(t *testing.T) {
	for name, tt := range map[string]struct {
		data string
		want string
	}{
		"nothing":        {"", "the list has no names\n    write a name in each line, or a table whose first line names the columns"},
		"a header alone": {"name,login\n", "the list has no names"},
		"a mark alone":   {"\uFEFF\n", "the list has no names"},
		"unknown columns": {"\nRufname1;Jg\nHans;1\n",
			`line 2 of the list has several cells (the separator is a semicolon), and none is the known name of a column: "Rufname1", "Jg"` +
				"\n" + `    above the rows, add a line that names the columns, such as "First name;Last name;Class". If the line is the name of one ` +
				`person, put it in double quotes`},
		"rows without":      {"Hans,Meier,9a\nIda,Groß,9b\n", `line 1 of the list has several cells (the separator is a comma)`},
		"a comma":           {"Lovelace, Ada\n", `line 1 of the list has several cells (the separator is a comma)`},
		"tabs":              {"Hans\tMeier\n", `line 1 of the list has several cells (the separator is a tab)`},
		"bars":              {"Hans|Meier\n", `line 1 of the list has several cells (the separator is a vertical bar)`},
		"a named separator": {"sep=;\nHans;Meier\n", `line 2 of the list has several cells (the separator is a semicolon)`},
		"no name":           {"Klasse;E-Mail\n9a;x@y\n", `line 1 of the list: no column has the names or usernames: "Klasse", "E-Mail"`},
		"no name, alone":    {"Klasse\n9a\n", `line 1 of the list: no column has the names or usernames: "Klasse"`},
		"two of a kind": {"Name;Login;Username\na;b;c\n",
			`line 1 of the list: the columns "Login" and "Username" both have the username` + "\n    delete or rename one of them"},
		"the same twice": {"Vorname;Nachname;nachname\na;b;c\n",
			`line 1 of the list: the columns "Nachname" and "nachname" both have the last name`},
		"no separator":      {"sep=\nname\n", `line 1 of the list: "sep=" names no separator`},
		"another separator": {"sep=:\nname:login\n", `line 1 of the list: "sep=:" names no separator`},
		"two separators":    {"sep=;x\nname:login\n", `line 1 of the list: "sep=;x" names no separator`},
		"quoted lines":      {"\"Name;Login\"\n\"a;b\"\n", `line 1 of the list is in double quotes as a whole: "Name;Login"`},
		"a title": {"Klassenliste 9a;;\n;;\nVorname;Nachname;Klasse\nHans;Meier;9a\n",
			"line 3 of the list names columns, but it is not the first line\n    delete the lines above it"},
		"a title, alone": {"Klassenliste 9a\nVorname;Nachname\n", "line 2 of the list names columns, but it is not the first line"},
		"blanks": {"Vorname Nachname  Klasse\nHans Meier 9a\n",
			`line 1 of the list names columns without a separator: "Vorname Nachname  Klasse"`},
		"an open quote": {"login,name\na,A\nada,\"b\nc\n",
			`line 3 of the list: a double quote is not closed` + "\n    put the whole cell in double quotes, and write a quote within it twice"},
		"behind a quote":     {"login,name\na,\"b\"c\n", `line 2 of the list: text follows a closing double quote`},
		"a workbook":         {"PK\x03\x04\x14\x00", "the file is a workbook (.xlsx, .ods)"},
		"a workbook cut off": {"PK\x03\x04", "the file is a workbook (.xlsx, .ods)"},
		"a zero byte alone":  {"\x00\xfc", "line 1 of the list has a zero byte"},
		"a zero byte, later": {"Ada\nAlan\nB\x00", "line 3 of the list has a zero byte"},
		"Windows-1252, not":  {"Ada\nAX\xc4b", `line 2 of the list is neither UTF-8 nor Windows-1252: it has "AXÄb"`},
		"Mac, a line end":    {"\rBj\x9arn", "the list has the line ends of “CSV (Macintosh)”"},
		"an old workbook":    {"\xD0\xCF\x11\xE0\xA1\xB1", "the file is a workbook (.xls)"},
		"a web page":         {"\r\n<HTML><table>", "the file is a web page"},
		"UTF-32":             {"\xFF\xFE\x00\x00A\x00\x00\x00", "the list is in UTF-32"},
		"half of UTF-16":     {"\xFF\xFEA\x00B", "the list begins as UTF-16 LE and ends within a character"},
		"bad UTF-16":         {"\xFE\xFF\x00A\x00\n\xDC\x00\x00B", "line 2 of the list is not text in UTF-16 BE"},
		"a lone surrogate":   {"\xFE\xFF\x00A\xD8\x00", "line 1 of the list is not text in UTF-16 BE"},
		"UTF-16, no mark": {"A\x00d\x00a\x00\n\x00",
			"line 1 of the list has a zero byte: the file is not a text, or it is UTF-16 without a byte order mark"},
		"UTF-16, no mark, ü":  {"\x00A\x00\n\x00\xfc", "line 1 of the list has a zero byte"},
		"no encoding":         {"Ada\nA\x81b", `line 2 of the list is neither UTF-8 nor Windows-1252: it has byte 0x81`},
		"Windows-1250":        {"Ada\nPawe\xb3 Nowak", `line 2 of the list is neither UTF-8 nor Windows-1252: it has "Pawe³"`},
		"Windows-1251":        {"\xc8\xe2\xe0\xed\xee\xe2", `line 1 of the list is neither UTF-8 nor Windows-1252: it has "Èâàíîâ"`},
		"Windows-1251, short": {"\xc8\xe2\xe0", `line 1 of the list is neither UTF-8 nor Windows-1252: it has "Èâà"`},
		"Mac Roman":           {"Ada\nM\x9fller\n", `line 2 of the list is neither UTF-8 nor Windows-1252: it has "MŸller"`},
		"Mac Roman, at last":  {"Ada\nRen\x8e\n", `line 2 of the list is neither UTF-8 nor Windows-1252: it has "RenŽ"`},
		"Mac, line ends":      {"Ada\rBj\x9arn\r", "the list has the line ends of “CSV (Macintosh)”"},
		"too many":            {strings.Repeat("x\n", 2001), "the list has 2001 people, and the limit is 2000\n    divide the list"},
		"too many columns":    {"name" + strings.Repeat(";x", 100) + "\na\n", "line 1 of the list has 101 columns, and the limit is 100"},
		"too long":            {strings.Repeat("x", MaxBytes+1), "the list has more than 1048576 bytes\n    divide the list"},
	} {
		l, err := Read([]byte(tt.data))
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || judge.BlameOf(err) != judge.Caller ||
			!strings.Contains(err.Error(), "\n    ") {
			t.Errorf("%s: got %+v, %v; want %s", name, l, err, tt.want)
		}
	}
}

// TestWesternNames checks that names in Western languages are read correctly in all spellings.
func TestWesternNames(t *testing.T) {
	for _, name := range []string{"MÜLLER ÄNNE", "Müßig", "Mª José Núñez", "N° 5 Été", "L’Œuvre", "Þóra Ægisdóttir", "Øyvind Åsnes",
		"Les Pros™ – 9a", "ÉMILE", "São João", "MARÍA JOSÉ", "D’Été", "Éé’îà", "Ÿ"} {
		if l, err := Read(windows("Name\r\n" + name)); err != nil || l.Rows[0].Name != name {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
}

// TestWrittenTables checks that a table from a CSV writer is read unchanged.
func TestWrittenTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringMatching(`([ab;,"| ]|üa){0,6}`)
		sep := rapid.SampledFrom([]rune{';', ',', '\t', '|'}).Draw(t, "sep")
		header := []string{"Name", "Login", "Other"}
		rows := [][]string{header}
		var want []string
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			row := []string{cell.Draw(t, "name"), cell.Draw(t, "login"), cell.Draw(t, "other")}
			rows = append(rows, row)
			if strings.TrimSpace(strings.Join(row, "")) != "" {
				want = append(want, strings.TrimSpace(row[0])+"\x00"+strings.TrimSpace(row[1]))
			}
		}
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma, w.UseCRLF = sep, rapid.Bool().Draw(t, "CRLF")
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		data := b.Bytes()
		switch rapid.IntRange(0, 3).Draw(t, "encoding") {
		case 1:
			data = append([]byte("\uFEFF"), data...)
		case 2:
			data = utf16Of(b.String(), true)
		case 3:
			data = windows(b.String())
		}
		l, err := Read(data)
		if len(want) == 0 {
			if err == nil {
				t.Fatalf("%q has names: %+v", data, l)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		var got []string
		for _, r := range l.Rows {
			if r.Wrong != "" {
				t.Fatalf("%q: %+v", data, r)
			}
			got = append(got, r.Name+"\x00"+r.Login)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", data, got, want)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"Ada\nAlan", "login;name\na;b\n\"c;d\"", "\uFEFFname\tpassword\nx\t12345678", "name,,\n\x00,",
		"sep=;\nname;login\n\"a\nb\";c", "\"Name;Login\"", "Vorname,Name\r\n'=1,x;'=2"} {
		f.Add([]byte(text))
		f.Add(utf16Of(text, true))
		f.Add(windows(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Read(data)
		if err != nil {
			if judge.BlameOf(err) != judge.Caller || !strings.Contains(err.Error(), "\n    ") {
				t.Fatalf("%q: %v says not what to do", data, err)
			}
			return
		}
		last := 0
		for _, r := range l.Rows {
			if r.Line <= last || r.Line > strings.Count(l.Text, "\n")+1 {
				t.Fatalf("%q: line %d after %d", data, r.Line, last)
			}
			last = r.Line
			if len(l.Columns) == 0 && r.Wrong == "" && r.Name == "" {
				t.Fatalf("%q: line %d has no name", data, r.Line)
			}
		}
		again, err := Read([]byte(l.Text))
		if err != nil || short(again) != short(l) {
			t.Fatalf("%q: its text is another list: %v\n%s\n%s", data, err, short(l), short(again))
		}
		// A form that a user sends back unchanged contains the fields and cells of the preview. This layout must
		// change nothing.
		seen := Layout{Titled: l.Titled, Cells: map[int]map[int]string{}}
		for _, c := range l.Sheet {
			seen.Fields = append(seen.Fields, c.Field)
		}
		for _, r := range l.Rows {
			seen.Cells[r.Line] = map[int]string{}
			for i, cell := range r.Cells {
				seen.Cells[r.Line][i] = cell
			}
		}
		again, err = ReadWithLayout(data, seen)
		if err != nil || short(again) != short(l) {
			t.Fatalf("%q: its own layout makes another list: %v\n%s\n%s", data, err, short(l), short(again))
		}
		for _, f := range Fields { // no choice of a field causes a panic
			if again, err := ReadWithLayout(data, Layout{Fields: []Field{f, Team, f}, Titled: !l.Titled}); err != nil &&
				judge.BlameOf(err) != judge.Caller {
				t.Fatalf("%q: %+v, %v", data, again, err)
			}
		}
	})
}

// TestLargestLists checks that lists as large as the limits are read.
func TestLargestLists(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"people":  {strings.Repeat("x\n", maxPeople), maxPeople},
		"columns": {"name" + strings.Repeat(";x", maxColumns-1) + "\na\n", 1},
		"bytes":   {"Ada" + strings.Repeat("\n", MaxBytes-3), 1},
	} {
		if l, err := Read([]byte(tt.text)); err != nil || len(l.Rows) != tt.want {
			t.Errorf("%s: %d rows, %v; want %d", name, len(l.Rows), err, tt.want)
		}
	}
}

// TestPreview checks how a preview describes errors and separators, and the rows of people who are no text.
func TestPreview(t *testing.T) {
	wrong := func(n int) *Preview {
		p := &Preview{Wrong: n, Rows: []PreviewRow{{Line: 1, State: New}}}
		for i := range n {
			p.Rows = append(p.Rows, PreviewRow{Line: i + 2, State: Invalid, Wrong: "bad"})
		}
		return p
	}
	if err := wrong(0).Errors(); err != nil {
		t.Errorf("without errors: %v", err)
	}
	for n, ends := range map[int]string{1: "line 2: bad", 20: "line 21: bad", 21: "line 21: bad\n    …", 30: "line 21: bad\n    …"} {
		err := wrong(n).Errors()
		want := fmt.Sprintf("%d of %d rows of the list have errors, and nothing was created:\n    line 2: bad", n, n+1)
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), ends) ||
			strings.Count(err.Error(), "bad") != min(n, 20) {
			t.Errorf("with %d errors: %v", n, err)
		}
	}
	for separator, want := range map[string]string{"": "", ";": "semicolon", "\t": "tab"} {
		if got := (&Preview{Separator: separator}).SeparatorName(); got != want {
			t.Errorf("the separator %q is a %q, want %q", separator, got, want)
		}
	}
	if l := NewList(Person{Name: "Ada"}, Person{Name: "Alan"}); len(l.Rows) != 2 || l.Rows[0].Line != 1 || l.Rows[1].Line != 2 ||
		l.Rows[1].Name != "Alan" {
		t.Errorf("two people are %+v", l.Rows)
	}
	l, err := ReadWithLayout([]byte("Jan;jan1\nEva;eva1\n"), Layout{Fields: []Field{Name, Login}})
	if err != nil || len(l.Sheet) != 2 || l.Sheet[0].Title != "column 1" || l.Sheet[1].Title != "column 2" {
		t.Errorf("columns without titles: %+v, %v", l.Sheet, err)
	}
}

// TestLayout checks that a user can set the fields of columns and correct single cells.
func TestLayout(t *testing.T) {
	cells := func(line, column int, text string) map[int]map[int]string {
		return map[int]map[int]string{line: {column: text}}
	}
	for name, tt := range map[string]struct {
		text   string
		layout Layout
		want   string
		wrong  string
	}{
		"an unknown language": {"Imię;Nazwisko;Klasa\nJan;Kowal;9a\n", Layout{Fields: []Field{First, Last, Group}, Titled: true},
			"Jan Kowal|||||9a", ""},
		"no titles":            {"Jan;jan1\nEva;eva1\n", Layout{Fields: []Field{Name, Login}}, "Jan|jan1\nEva|eva1", ""},
		"a known one ignored":  {"Name;Team\nJan;x\n", Layout{Fields: []Field{Name, ""}, Titled: true}, "Jan", ""},
		"two change places":    {"Name;Login\njan1;Jan\n", Layout{Fields: []Field{Login, Name}, Titled: true}, "Jan|jan1", ""},
		"too few":              {"Name;Team\nJan;x\n", Layout{Fields: []Field{Name}, Titled: true}, "Jan", ""},
		"too many":             {"Name;Team\nJan;x\n", Layout{Fields: []Field{Name, Team, Group, Group}, Titled: true}, "Jan||||x", ""},
		"no name":              {"Name;Team\nJan;x\n", Layout{Fields: []Field{"", Team}, Titled: true}, "||||x", "no column has the names"},
		"the same twice":       {"Name;Team\nJan;x\n", Layout{Fields: []Field{Name, Name}, Titled: true}, "", "both have the name"},
		"a line of names":      {"Ada\nAlan\n", Layout{Fields: []Field{Name}}, "Ada\nAlan", ""},
		"usernames in lines":   {"ada\nalan\n", Layout{Fields: []Field{Login}}, "|ada\n|alan", ""},
		"names below a title":  {"Kids\nAlan\n", Layout{Fields: []Field{Name}, Titled: true}, "Alan", ""},
		"a cell":               {"Name;Login\nJan;jan 1\nEva;eva1\n", Layout{Cells: cells(2, 1, "jan1")}, "Jan|jan1\nEva|eva1", ""},
		"a cell that is empty": {"Name;Login\nJan;jan 1\n", Layout{Cells: cells(2, 1, "")}, "Jan", ""},
		"a cell as it was": {"Name;Login\nA;b;c\n", Layout{Cells: cells(2, 1, "b ")},
			"A|b !the row has 3 cells, but line 1 names 2 columns: put a cell that has a semicolon in double quotes", ""},
		"a row with too many": {"Name;Login\nA; B;b1\n", Layout{Cells: map[int]map[int]string{2: {0: "A; B", 1: "b1"}}}, "A; B|b1", ""},
		"a row with too few":  {"Name;Login\nA\n", Layout{Cells: cells(2, 1, "a1")}, "A|a1", ""},
		"a heading below names": {"Ada\nName;Login\n", Layout{Fields: []Field{Name}},
			"Ada\nName;Login !the line has a semicolon: put the name in double quotes, or name the columns in the first line", ""},
		"a name in a line":      {"Ada\nAlan;x\n", Layout{Cells: cells(2, 0, "Alan X")}, "Ada\nAlan X", ""},
		"no such cell":          {"Name;Login\nA;a1\n", Layout{Cells: map[int]map[int]string{2: {7: "x", -1: "x"}, 9: {0: "x"}}}, "A|a1", ""},
		"a line of the heading": {"Name;Login\nA;a1\n", Layout{Cells: cells(1, 0, "Team")}, "A|a1", ""},
	} {
		l, err := ReadWithLayout([]byte(tt.text), tt.layout)
		if got := short(l); got != tt.want && tt.wrong == "" || (err == nil) != (tt.wrong == "") ||
			err != nil && !strings.Contains(err.Error(), tt.wrong) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, tt.want)
		}
		if len(l.Sheet) == 0 {
			t.Errorf("%s: it has no columns to choose", name)
		}
	}
	for text, want := range map[string]string{ // the columns of lists with errors
		"Imię;Nazwisko\nJan;Kowal\n": "Imię=|Nazwisko=", "Team;Klasse\na;b\n": "Team=team|Klasse=group", "Ada\nAlan": "column 1=name",
		"Nr;Name\n1;x": "Nr=|Name=name",
	} {
		l, _ := Read([]byte(text))
		var all []string
		for _, c := range l.Sheet {
			all = append(all, c.Title+"="+string(c.Field))
		}
		if got := strings.Join(all, "|"); got != want || len(l.Rows) == 0 {
			t.Errorf("%q has the columns %s and %d rows, want %s", text, got, len(l.Rows), want)
		}
	}
}
