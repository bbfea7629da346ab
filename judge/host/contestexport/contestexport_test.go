package contestexport_test

import (
	"archive/zip"
	"bytes"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/board"
	"assay/judge/host/contestexport"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

func boards(h *webtest.Harness) *board.Hall {
	return board.NewHall(board.HallOptions{Store: h.Store, Log: slog.New(slog.DiscardHandler)})
}

// files reads the files of an archive by their names.
func files(t *testing.T, h *webtest.Harness, c *store.Contest, p contestexport.Part) (names []string, all map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := contestexport.Write(t.Context(), h.Desk, boards(h), c, p, &b); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	all = map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		names, all[f.Name] = append(names, f.Name), string(data)
	}
	return names, all
}

// TestSubmissions: each submission of a team is in the directory of its problem and language, with a line
// in the table there. Names are ones that every system can unpack.
func TestSubmissions(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -time.Minute, store.Public, store.Settings{})
	if names, _ := files(t, h, c, contestexport.Submissions); len(names) > 0 {
		t.Errorf("no submissions are %v", names)
	}
	h.Judged(h.Send(c, "ada"), webtest.Accepted()...)
	h.Send(c, "bob")
	h.Send(c, "bob")
	names, all := files(t, h, c, contestexport.Submissions)
	slices.Sort(names)
	want := []string{"A/py/1-1/sum___marked_.py", "A/py/2-2/sum___marked_.py", "A/py/3-2/sum___marked_.py", "A/py/info.csv"}
	if !slices.Equal(names, want) || all[want[0]] != "print('source of ada')"+webtest.Evil {
		t.Errorf("%q, want %q\n%q", names, want, all)
	}
	lines := strings.Split(all["A/py/info.csv"], "\n")
	if len(lines) != 5 || lines[0] != "filename,id,full_name,labels,status,created_at" ||
		!strings.HasPrefix(lines[1], "3-2/sum___marked_.py,3,\"bob") || !strings.Contains(lines[1], ",pending,") ||
		!strings.Contains(lines[3], ",AC,") {
		t.Errorf("the table:\n%s", all["A/py/info.csv"])
	}
	if _, err := h.Store.Erase(t.Context(), h.Accounts["bob"].ID); err != nil {
		t.Fatal(err)
	}
	if names, _ = files(t, h, c, contestexport.Submissions); len(names) != 2 {
		t.Errorf("after the author of two was erased there are %q", names)
	}
	for range 201 {
		h.Send(c, "ada")
	}
	if names, _ = files(t, h, c, contestexport.Submissions); len(names) != 203 {
		t.Errorf("of 202 submissions there are %d files", len(names)-1)
	}
	if err := contestexport.Write(t.Context(), h.Desk, boards(h), c, "nothing", io.Discard); err == nil {
		t.Error("there is an archive of nothing")
	}
}

// TestScoreboard: the public scoreboard does not have what is hidden from the public, the full one does.
func TestScoreboard(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -30*time.Minute, store.Public, store.Settings{})
	c.Freeze = 29 * time.Minute
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	h.Judged(h.Send(c, "ada"), webtest.Accepted()...)
	for part, accepted := range map[contestexport.Part]bool{contestexport.Board: false, contestexport.FullBoard: true} {
		names, all := files(t, h, c, part)
		if !slices.Equal(names, []string{"index.html", "style.css"}) || strings.Contains(all["index.html"], `<span class="said">first to solve`) != accepted {
			t.Errorf("%s: %q\n%s", part, names, all["index.html"])
		}
	}
}

// TestPackage: the package has every file, and no password.
func TestPackage(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", time.Hour, store.Public, store.Settings{})
	h.Clarify(c, store.NewClarification{Text: "may I?"}, "ada") // who takes part from then on
	names, all := files(t, h, c, contestexport.Package)
	want := "accounts.json contest.json groups.json organizations.json persons.json problems.json teams.json"
	if strings.Join(names, " ") != want || !strings.Contains(all["contest.json"], `"id": "spring"`) || !strings.Contains(all["teams.json"], `"name": "ada`) || !strings.Contains(all["problems.json"], `"id": "sum"`) {
		t.Errorf("%q\n%q", names, all)
	}
}
