package roster

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A Field is the meaning of a column. The zero value means that the column is ignored.
type Field string

// The fields of a list. First and Last are joined to form the name.
const (
	Name     Field = "name"
	First    Field = "first name"
	Last     Field = "last name"
	Login    Field = "username"
	Email    Field = "e-mail"
	Password Field = "password"
	Team     Field = "team"
	Group    Field = "group"
)

// Fields lists all fields, in the order of the menu in a preview.
var Fields = []Field{Name, First, Last, Login, Email, Password, Team, Group}

// fieldsByTitle maps titles, in the form that key returns, to fields.
var fieldsByTitle = sync.OnceValue(func() map[string]Field { return invertTitles(fieldTitles) })

// fieldTitles lists the usual column titles in spreadsheets, in four languages, without the words in peopleWords.
var fieldTitles = map[Field]string{
	Name: `name, names, full name, display name, displayed name, complete name, real name, person, people, student, students,
		pupil, pupils, participant, participants, contestant, first and last name, first last name, first name last name,
		last name first name, name first name, surname first name, first name surname, surname forename, forename surname,
		Vollname, voller Name, vollständiger Name, Vor- und Nachname, Vor- und Zuname, Nach- und Vorname, Zu- und Vorname, Vorname Nachname,
		Vorname Name, Nachname Vorname, Name Vorname, Familienname Vorname, Anzeigename, Schüler, Schülerin, Schüler und Schülerinnen,
		Schülerinnen und Schüler, SuS, Lernende, Teilnehmer, Teilnehmerin, Teilnehmende, Studierende, Studentin, Person,
		nom, noms, nom complet, nom et prénom, nom prénom, prénom nom, prénom et nom, nom affiché, élève, élèves, étudiant,
		étudiante, étudiants, participant, participante, candidat,
		nombre, nombres, nombre completo, nombre y apellido, nombre y apellidos, nombres y apellidos, nombre apellido, nombre apellidos,
		apellido y nombre, apellidos y nombre, apellidos y nombres, apellido nombre, apellidos nombre, alumno, alumna, alumno/a,
		alumnos, alumnos/as, alumnado, estudiante, estudiantes, participante, participantes`,
	First: `first name, first names, firstname, given name, given names, forename, forenames, Christian name, middle name, middle names,
		Vorname, Vornamen, Rufname, zweiter Vorname, prénom, prénoms, prénom usuel, deuxième prénom, primer nombre, segundo nombre,
		nombre de pila`,
	Last: `last name, last names, surname, surnames, family name, family names, second name, Nachname, Nachnamen, Familienname, Zuname,
		nom de famille, nom d'usage, nom de naissance, apellido, apellidos, primer apellido, segundo apellido, apellido paterno,
		apellido materno, apellido 1, apellido 2`,
	Login: `login, log in, login name, logon, logon name, user, username, user name, user ID, user login, user account, account,
		account name, account ID, login ID, net ID, sign-in name, handle, Benutzer, Benutzername, Benutzerkennung, Benutzer-ID, Benutzerkonto,
		Nutzer, Nutzername, Nutzerkennung, Nutzer-ID, Anmeldename, Login-Name, Kennung, Konto, Kontoname, Username,
		identifiant, identifiant de connexion, identifiant utilisateur, utilisateur, nom d'utilisateur, nom utilisateur, compte,
		nom de compte, pseudo, usuario, nombre de usuario, nombre usuario, nombre de cuenta, cuenta, identificador, ID de usuario`,
	Email: `email, e-mail, mail, email address, mail address, user email, school email, E-Mail-Adresse, Mailadresse,
		Schul-E-Mail, elektronische Post, courriel, adresse courriel, adresse e-mail, adresse mail, adresse de courriel, adresse électronique,
		mél, adresse mél, adresse de messagerie, courrier électronique, correo, correo institucional, email institucional,
		correo electrónico, dirección de correo, dirección de correo electrónico, dirección de email, e-correo`,
	Password: `password, passwd, pass word, initial password, start password, Passwort, Kennwort, Startpasswort, Initialpasswort,
		Anfangspasswort, Erstpasswort, Startkennwort, mot de passe, mot de passe initial, mdp,
		contraseña, contraseña inicial, clave, clave de acceso`,
	Team: `team, team name, teams, Mannschaft, Mannschaftsname, Teamname, Name des Teams, équipe, équipes, nom d'équipe, nom de l'équipe,
		nom équipe, equipo, equipos, nombre de equipo, nombre del equipo, nombre equipo`,
	Group: `group, groups, group name, class, classes, class name, form, course, section, cohort, grade, grade level, school class,
		year group, tutor group, form group, registration group, homeroom, Gruppe, Lerngruppe, Gruppen, Gruppenname, Klasse,
		Klassen, Stammklasse, Klassenname, Klassenbezeichnung, Schulklasse, Kurs, Kursname, Jahrgang, Jahrgangsstufe, Klassenstufe,
		Stufe, groupe, groupes, nom du groupe, nom de groupe, classe, nom de la classe, division, promotion, cours, niveau, grupo,
		grupos, nombre del grupo, nombre de grupo, clase, clases, nombre de la clase, curso, cursos, curso y grupo, sección, grado,
		nivel`,
}

// peopleWords lists what may precede or follow a title, such as "Student" in "Student first name".
var peopleWords = strings.Fields(`student students pupil pupils participant contestant legal preferred
	schuler schulers schulerin desschulers derschulerin derschuler teilnehmer desteilnehmers
	eleve deleleve etudiant deletudiant duparticipant alumno delalumno alumnoa delalumnoa estudiante delestudiante delparticipante`)

func invertTitles(byField map[Field]string) map[string]Field {
	by := map[string]Field{}
	for field, list := range byField {
		for title := range strings.SplitSeq(list, ",") {
			by[titleKey(title)] = field
		}
	}
	return by
}

// titleKey reduces a title to its letters and digits, in lower case and without accents. It drops texts in
// parentheses, such as "(optional)" or "[Required]".
func titleKey(title string) string {
	var b strings.Builder
	depth := 0
	for _, c := range norm.NFKD.String(strings.ToLower(title)) {
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case depth <= 0 && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			b.WriteRune(c)
		}
	}
	// Handle German spellings without umlauts.
	return strings.NewReplacer("schueler", "schuler", "vollstaendig", "vollstandig").Replace(b.String())
}

// bareKey is titleKey without one of the peopleWords, if the rest is a known title.
func bareKey(title string) string {
	key := titleKey(title)
	for _, word := range peopleWords {
		for _, rest := range []string{strings.TrimPrefix(key, word), strings.TrimSuffix(key, word)} {
			if fieldsByTitle()[rest] != "" {
				return rest
			}
		}
	}
	return key
}

// fieldOf returns the field with the given title. The title may contain its translation to another language after
// a slash.
func fieldOf(title string) Field {
	if f := fieldsByTitle()[bareKey(title)]; f != "" {
		return f
	}
	found := map[Field]bool{}
	given := false // whether there is a Spanish title for first names
	for part := range strings.SplitSeq(title, "/") {
		found[fieldsByTitle()[bareKey(part)]] = true
		given = given || titleKey(part) == "nombre"
	}
	if len(found) == 1 && found[First] { // "Vorname / Prénom"
		return First
	}
	name := found[Name] || found[First] || found[Last]
	delete(found, Name)
	switch {
	case len(found) == 1 && found[Last]: // "Nachname / Nom"
		return Last
	case len(found) == 1 && found[First] && given: // "First name / Nombre"
		return First
	}
	delete(found, First)
	delete(found, Last)
	switch {
	case len(found) == 0 && name: // "Vorname/Nachname"
		return Name
	case len(found) == 1 && !name: // "Klasse / Class"
		for f := range found {
			return f
		}
	}
	return ""
}

// Column is a column of a list.
type Column struct {
	Title string `json:"title"`
	Field Field  `json:"field,omitempty"` // empty if the column is ignored
}

// columns returns the columns described by a header.
func columns(header []string) (columns []Column) {
	for _, title := range header {
		columns = append(columns, Column{strings.Join(strings.Fields(title), " "), fieldOf(title)})
	}
	has := func(f Field) bool { return slices.ContainsFunc(columns, func(c Column) bool { return c.Field == f }) }
	first, last := has(First), has(Last)
	if first == last {
		return columns
	}
	// If there is a column of first names, "Name" and "Nom" mean the last name. If there is a column of last
	// names, "Name", "Nom" and "Nombre" mean the first name.
	for i, c := range columns {
		switch k := bareKey(c.Title); {
		case k != "name" && k != "names" && k != "nom" && k != "noms" && k != "nombre" && k != "nombres":
		case first:
			columns[i].Field = Last
		default:
			columns[i].Field = First
		}
	}
	return columns
}

// checkColumns returns an error if the columns are ambiguous or there is no column for names. The header is on the given
// line.
func checkColumns(columns []Column, line int) error {
	byField := map[Field]Column{}
	seen := map[string]bool{}
	for _, c := range columns {
		if c.Field == "" {
			continue
		}
		other, twice := byField[c.Field]
		if several := c.Field == First || c.Field == Last || c.Field == Group; twice && (!several || seen[titleKey(c.Title)]) {
			return callerError("delete or rename one of them",
				"line %d of the list: the columns %.40q and %.40q both have the %s", line, other.Title, c.Title, c.Field)
		}
		byField[c.Field], seen[titleKey(c.Title)] = c, true
	}
	for _, f := range []Field{Name, First, Last, Login} {
		if _, is := byField[f]; is {
			return nil
		}
	}
	return callerError("add a column Name or Username, or rename the column with the names",
		"line %d of the list: no column has the names or usernames: %s", line, quotedTitles(columns))
}

// visibleColumns returns the columns with a title, and the columns without a title that have text in some row, for which
// it makes up a title. The slice used reports, for each column, whether it has text.
func visibleColumns(columns []Column, used []bool) (titled []Column) {
	for i, c := range columns {
		if c.Title == "" && used[i] {
			c.Title = fmt.Sprintf("column %d, without a name", i+1)
		}
		if c.Title != "" {
			titled = append(titled, c)
		}
	}
	return titled
}
