package web

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A FeedItem is an entry of a feed.
type FeedItem struct {
	ID    string
	Title string
	URL   string
	At    time.Time
}

// MaxFeedItems is the maximum number of entries in a feed.
const MaxFeedItems = 100

// WriteFeed sends entries, newest first. It writes Atom if self ends in .atom, and a JSON feed otherwise. Base is
// the URL of the server; home, self and the URLs of the entries are paths.
func WriteFeed(w http.ResponseWriter, base, title, home, self string, items []FeedItem) error {
	var b bytes.Buffer
	h := w.Header()
	if !strings.HasSuffix(self, ".atom") {
		type item struct {
			ID        string    `json:"id"`
			URL       string    `json:"url"`
			Title     string    `json:"title"`
			Text      string    `json:"content_text"`
			Published time.Time `json:"date_published"`
		}
		feed := struct {
			Version string `json:"version"`
			Title   string `json:"title"`
			Home    string `json:"home_page_url"`
			Feed    string `json:"feed_url"`
			Items   []item `json:"items"`
		}{"https://jsonfeed.org/version/1.1", title, base + home, base + self, []item{}}
		for _, i := range items {
			feed.Items = append(feed.Items, item{base + i.ID, base + i.URL, i.Title, i.Title, i.At})
		}
		h.Set("Content-Type", "application/feed+json")
		e := json.NewEncoder(&b)
		e.SetIndent("", "  ")
		if err := e.Encode(feed); err != nil {
			return err
		}
	} else {
		type link struct {
			Href string `xml:"href,attr"`
			Rel  string `xml:"rel,attr,omitempty"`
		}
		type entry struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Updated string `xml:"updated"`
			Link    link   `xml:"link"`
		}
		feed := struct {
			XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
			ID      string   `xml:"id"`
			Title   string   `xml:"title"`
			Updated string   `xml:"updated"`
			Author  string   `xml:"author>name"`
			Links   []link   `xml:"link"`
			Entries []entry  `xml:"entry"`
		}{
			ID: base + self, Title: title, Updated: time.Unix(0, 0).UTC().Format(time.RFC3339), Author: title,
			Links: []link{{base + self, "self"}, {base + home, "alternate"}},
		}
		for i, one := range items {
			updated := one.At.UTC().Format(time.RFC3339)
			if i == 0 {
				feed.Updated = updated
			}
			feed.Entries = append(feed.Entries, entry{base + one.ID, one.Title, updated, link{Href: base + one.URL}})
		}
		h.Set("Content-Type", "application/atom+xml")
		b.WriteString(xml.Header)
		if err := xml.NewEncoder(&b).Encode(feed); err != nil {
			return err
		}
	}
	h.Set("Content-Disposition", "attachment")
	_, _ = w.Write(b.Bytes()) // the client may be gone
	return nil
}

// WriteBadge sends an SVG image with a label and a text, such as a rank.
func WriteBadge(w http.ResponseWriter, label, text string) error {
	const letter = 7 // approximate width of a character
	cut := func(text string, limit int) string {
		if letters := []rune(text); len(letters) > limit {
			return string(letters[:limit-1]) + "…"
		}
		return text
	}
	label, text = cut(visible(label), 40), cut(visible(text), 40)
	labelWidth, textWidth := len([]rune(label))*letter+12, len([]rune(text))*letter+12
	escaped := func(text string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(text)) // writing to memory does not fail
		return b.String()
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml; charset=utf-8")
	h.Set("Content-Disposition", "attachment") // pages can still embed it
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[4]s: `+
		`%[5]s"><rect width="%[1]d" height="20" rx="3" fill="#24507a"/><rect width="%[2]d" height="20" rx="3" `+
		`fill="#444"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="6" `+
		`y="14">%[4]s</text><text x="%[3]d" y="14">%[5]s</text></g></svg>`,
		labelWidth+textWidth, labelWidth, labelWidth+6, escaped(label), escaped(text))
	return nil
}
