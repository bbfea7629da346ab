package access_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// rowOf returns the row of a submission on a page, or an empty string.
func rowOf(page string, number int) string {
	_, row, _ := strings.Cut(page, fmt.Sprintf("<a href=\"/c/now/s/%d\">", number))
	row, _, _ = strings.Cut(row, "</tr>")
	return row
}

// TestLines checks what a list of submissions shows to the jury and to contestants.
func TestLines(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	finished := func(v judge.Verdict, judged int) *judge.Finished {
		return &judge.Finished{Verdict: v, Judged: judged, Cases: 9, TimeMS: 1234.5, Memory: 3<<20 + 1}
	}
	for i, end := range []*judge.Finished{finished(judge.WrongAnswer, 9), finished(judge.CompileError, 0), finished(judge.JudgeError, 1), nil} {
		a := h.Submit(c, "ada")
		if end != nil {
			events := webtest.FailingEvents()
			h.RecordJudgement(a, append(events[:len(events)-1], end)...)
		}
		if a.Number != int64(i+1) {
			t.Fatalf("submission %d has number %d", i+1, a.Number)
		}
	}
	team := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), c.ID))[0]
	team.Name, team.Groups = "Lost Positions", []string{"north & <b>", "guests"}
	if err := h.Store.SetTeam(t.Context(), team, ""); err != nil {
		t.Fatal(err)
	}
	read := func(login, path string) string {
		page := h.Fetch(h.Cookie(login), "GET", path, nil).Body
		webtest.CheckHTML(t, path, page)
		return page
	}
	const hasTime, hasMemory = `<td class="num hide">1.23 s</td>`, `<td class="num hide">4 MiB</td>`
	list := read("judge", "/c/now/submissions")
	for _, want := range []string{"<bdi>Lost Positions</bdi>", "<bdi>ada", "<bdi>north &amp; &lt;b&gt;</bdi> · <bdi>guests</bdi>",
		"<small>Python</small>", `title="sum&#34;`, hasTime, hasMemory} {
		if !strings.Contains(rowOf(list, 1), want) {
			t.Errorf("the first submission has no %s:\n%s", want, rowOf(list, 1))
		}
	}
	if row := rowOf(list, 3); !strings.Contains(row, hasTime) {
		t.Errorf("a judge error has no time:\n%s", row)
	}
	for _, number := range []int{2, 4} {
		if row := rowOf(list, number); strings.Contains(row, "1.23") || strings.Contains(row, "MiB") || strings.Count(row, `<td class="num hide"></td>`) != 2 {
			t.Errorf("submission %d ran no test case:\n%s", number, row)
		}
	}
	// A contestant reads times only if the contest shows them, and none of a verdict that is not shown.
	if page := read("ada", "/c/now/mine"); strings.Contains(page, "1.23") {
		t.Errorf("the contest shows only verdicts, and the list shows a time:\n%s", page)
	}
	c = webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), c.ID))
	c.Settings.Show = judge.ShowCases
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	mine := read("ada", "/c/now/mine")
	if row := rowOf(mine, 1); !strings.Contains(row, hasTime) || !strings.Contains(row, hasMemory) || strings.Contains(row, "Lost Positions") {
		t.Errorf("an own submission:\n%s", row)
	}
	if row := rowOf(mine, 3); strings.Contains(row, "1.23") {
		t.Errorf("the reader may not know of a judge error:\n%s", row)
	}
}
