package scoreboard

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"assay/judge/report"
)

// A File is one of the files of a static scoreboard, which works without a server.
type File struct {
	Name string
	Data []byte
}

// Static returns the current scoreboard as files: a page of all teams, a page for each group, and a style sheet.
// The files have no script and no link to the server. Static also returns the addresses of the pictures in the
// pages. The pictures must be stored below the directory media.
func (l *Live) Static(jury bool) (files []File, pictures []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, v := time.Now(), l.view(jury)
	l.tick(now)
	p := renderer{head: v.renderer.head, jury: jury, static: true}
	s := p.draw(v.board, now)
	files = []File{{staticName(-1), p.staticPage(s, "")}}
	for i, group := range s.groups {
		files = append(files, File{staticName(i), p.staticPage(s, group)})
	}
	for _, place := range v.board.Rows() {
		pictures = append(pictures, PicturePath(place.Team.Logo), PicturePath(place.Team.Flag))
	}
	sheet := report.Style() + style + "main { margin: 0 auto; padding: 1rem; max-width: 80rem; }\n"
	return append(files, File{"style.css", []byte(sheet)}), pictures
}

// staticName returns the file name of a group's page. A negative index means all teams.
func staticName(group int) string {
	if group < 0 {
		return "index.html"
	}
	return "group-" + strconv.Itoa(group+1) + ".html"
}

// staticPage renders the page of a group, or of all teams if group is empty.
func (p *renderer) staticPage(s *sheet, group string) []byte {
	title := "Scoreboard of " + p.head.Name
	if group != "" {
		title += ": " + group
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title><link rel="stylesheet" href="style.css"></head>
<body><main><h1><bdi>%s</bdi></h1>
`, text(title), text(p.head.Name))
	out.Write(p.html(s, group, 0))
	out.WriteString("</main></body></html>\n")
	return out.Bytes()
}
