package web

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"assay/judge/host/auth"
)

// listPage is how many rows of a long table a page shows.
const listPage = 50

// A List is the part of a long table that a page shows, as the address says: what is searched for, the
// filter, the order, and the page. It works without scripts: all of it are links and a form.
type List struct {
	Path     string // of the page
	Search   string
	Filter   string
	Sort     string // a column; with "-" before it, in descending order
	Page     int    // from 1
	Selected bool   // all rows of the page are selected

	From, To, Total int // the rows of the page, from 1, and how many match
}

// ReadList reads a list from the fields of an address or a form.
func ReadList(path string, fields url.Values) List {
	page, _ := strconv.Atoi(fields.Get("page"))
	return List{Path: path, Search: strings.TrimSpace(fields.Get("q")), Filter: fields.Get("filter"), Sort: fields.Get("sort"),
		Page: max(1, page), Selected: fields.Get("all") != ""}
}

// A Column compares two rows by one of their cells.
type Column[T any] struct {
	Name    string // in addresses
	Compare func(a, b T) int
}

// Rows returns the rows of the page: of those that match, in the order of one of the columns. If the
// list names none of them, it is the order of the first. Text returns what a search looks at.
func Rows[T any](l *List, all []T, matches func(T) bool, text func(T) string, columns ...Column[T]) []T {
	rows := slices.DeleteFunc(slices.Clone(all), func(row T) bool { return !matches(row) || !found(text(row), l.Search) })
	name, descending := strings.CutPrefix(l.Sort, "-")
	i := slices.IndexFunc(columns, func(c Column[T]) bool { return c.Name == name })
	if i < 0 {
		i, descending = 0, false
		l.Sort = columns[0].Name
	}
	slices.SortStableFunc(rows, func(a, b T) int {
		if descending {
			a, b = b, a
		}
		return columns[i].Compare(a, b)
	})
	l.Total = len(rows)
	l.Page = min(l.Page, max(1, (l.Total+listPage-1)/listPage))
	l.From = (l.Page-1)*listPage + min(1, l.Total)
	l.To = min(l.Page*listPage, l.Total)
	return rows[(l.Page-1)*listPage : l.To]
}

// found reports whether a text has each word of a search, in upper or lower case, with accents or without.
func found(text, search string) bool {
	text = strings.ToLower(text)
	plain := auth.PlainName(text)
	for word := range strings.FieldsSeq(strings.ToLower(search)) {
		letters := auth.PlainName(word)
		if !strings.Contains(text, word) && (letters == "" || strings.ContainsFunc(word, unletter) || !strings.Contains(plain, letters)) {
			return false
		}
	}
	return true
}

func unletter(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// Query returns the list as the query of an address.
func (l List) Query() string {
	q := url.Values{}
	for name, value := range map[string]string{"q": l.Search, "filter": l.Filter, "sort": l.Sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if l.Page > 1 {
		q.Set("page", strconv.Itoa(l.Page))
	}
	return q.Encode()
}

// Link returns the address of the list.
func (l List) Link() template.URL { return template.URL(l.Path + "?" + l.Query()) }

// With returns the address of the list with a filter.
func (l List) With(filter string) template.URL {
	l.Filter, l.Page = filter, 1
	return l.Link()
}

// SelectAll returns the address of the page with all rows selected.
func (l List) SelectAll() template.URL { return l.Link() + "&all=1#rows" }

// Previous returns the address of the page before, and Next that of the page after; empty if there is none.
func (l List) Previous() template.URL { return l.at(l.Page - 1) }

// Next returns the address of the page after this one; empty if there is none.
func (l List) Next() template.URL { return l.at(l.Page + 1) }

func (l List) at(page int) template.URL {
	if page < 1 || page > 1 && (page-1)*listPage >= l.Total {
		return ""
	}
	l.Page = page
	return l.Link()
}

// A Sorter is the heading of a column by which a list can be sorted.
type Sorter struct {
	Name  string
	Order string // as aria-sort has it; may be empty
	Class string
	Link  template.URL
}

// Sorter returns the heading of a column.
func (l List) Sorter(column, name, class string) Sorter {
	s := Sorter{Name: name, Class: class}
	switch l.Sort {
	case column:
		s.Order, column = "ascending", "-"+column
	case "-" + column:
		s.Order = "descending"
	}
	l.Sort, l.Page = column, 1
	s.Link = l.Link()
	return s
}

// ByText compares two texts as people sort names: without regard to case and accents, and numbers in them
// by their values. "Émile" is before "Fritz", and "Team 2" before "Team 10".
func ByText(a, b string) int {
	x, y := auth.PlainName(a), auth.PlainName(b)
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		if m == 0 || n == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		i, j := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
		if c := cmp.Or(cmp.Compare(len(i), len(j)), cmp.Compare(i, j)); c != 0 {
			return c
		}
		x, y = x[m:], y[n:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits returns how many digits a text begins with.
func digits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}

// BackTo makes the browser load a list again after a form that has its query in the field "back".
func (s *Site) BackTo(w http.ResponseWriter, r *Request, path, done string) error {
	q, err := url.ParseQuery(r.PostFormValue("back"))
	if err != nil {
		return BadRequest("The form has an invalid address")
	}
	q.Set("done", done)
	return Redirect(w, r, path+"?"+q.Encode())
}
