package contestexport_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/clics"
	"assay/judge/host/contestexport"
	"assay/judge/host/feed"
	"assay/judge/host/job"
	"assay/judge/host/media"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

func boards(h *webtest.Harness) *scoreboard.Registry {
	return scoreboard.NewRegistry(scoreboard.RegistryOptions{Store: h.Store, Log: slog.New(slog.DiscardHandler)})
}

// files returns the files of an archive, by name.
func files(t *testing.T, h *webtest.Harness, c *store.Contest, p contestexport.Archive) (names []string, all map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := contestexport.Write(t.Context(), h.Intake, boards(h), c, p, &b); err != nil {
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

// TestSubmissions checks that each submission of a team is in the directory of its problem and language and in the
// table there. It also checks that every system can unpack the names.
func TestSubmissions(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -time.Minute, store.VisibilityPublic, store.Settings{})
	if names, _ := files(t, h, c, contestexport.Submissions); len(names) > 0 {
		t.Errorf("no submissions are %v", names)
	}
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	h.Submit(c, "bob")
	h.Submit(c, "bob")
	names, all := files(t, h, c, contestexport.Submissions)
	slices.Sort(names)
	want := []string{"A/py/1-1/sum___marked_.py", "A/py/2-2/sum___marked_.py", "A/py/3-2/sum___marked_.py", "A/py/info.csv"}
	if !slices.Equal(names, want) || all[want[0]] != "print('source of ada')"+webtest.HostileMarkup {
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
	if err := h.Blobs.Remove(blob.DigestOf([]byte("print('source of ada')" + webtest.HostileMarkup))); err != nil {
		t.Fatal(err)
	}
	if names, _ = files(t, h, c, contestexport.Submissions); !slices.Equal(names, []string{"A/py/info.csv"}) {
		t.Errorf("after the program was deleted there are %q", names)
	}
	for range 201 {
		h.Submit(c, "ada")
	}
	if names, _ = files(t, h, c, contestexport.Submissions); len(names) != 203 {
		t.Errorf("of 202 submissions there are %d files", len(names)-1)
	}
	if err := contestexport.Write(t.Context(), h.Intake, boards(h), c, "nothing", io.Discard); err == nil {
		t.Error("there is an archive of nothing")
	}
}

// TestScoreboard checks that data hidden from the public is in the full scoreboard but not in the public one.
func TestScoreboard(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -30*time.Minute, store.VisibilityPublic, store.Settings{})
	c.Freeze = 29 * time.Minute
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	for part, accepted := range map[contestexport.Archive]bool{contestexport.Scoreboard: false, contestexport.JuryScoreboard: true} {
		names, all := files(t, h, c, part)
		if !slices.Equal(names, []string{"index.html", "style.css"}) ||
			strings.Contains(all["index.html"], `<span class="said">first to solve`) != accepted {
			t.Errorf("%s: %q\n%s", part, names, all["index.html"])
		}
	}
}

// TestResults checks that the results are those of the jury's view, also during the freeze.
func TestResults(t *testing.T) {
	h := webtest.New(t)
	n := &store.ContestImport{
		Contest: &store.Contest{
			Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(-30 * time.Minute), Length: time.Hour,
			Freeze: 29 * time.Minute, Visibility: store.VisibilityPublic,
		},
		Problems: []store.NewContestProblem{{Label: "A", Slug: "sum"}},
		Groups:   []store.Group{{ID: "1", Name: "North"}, {ID: "2", Name: "South"}, {ID: "3", Name: "Girls"}},
		Teams: []store.Team{
			{ExtID: "7", ICPCID: "700", Name: "ada", GroupIDs: []string{"1", "3"}}, {ExtID: "8", Name: "bob", GroupIDs: []string{"2"}},
			{ExtID: "9", Name: "chair", Hidden: true},
		},
	}
	for login, team := range map[string]string{"ada": "7", "bob": "8", "chair": "9"} {
		n.Accounts = append(n.Accounts, store.ImportedAccount{ID: login, Type: "team", Team: team, Account: h.Accounts[login]})
	}
	id, _, err := h.Store.ImportContest(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	c := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), id))
	for _, login := range []string{"chair", "ada"} {
		h.RecordJudgement(h.Submit(c, login), webtest.AcceptedEvents()...)
	}
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	_, all := files(t, h, c, contestexport.Package)
	want := regexp.MustCompile(`^File_Version\t1\n700\t1\tGold Medal\t1\t(\d+)\t(\d+)\tNorth, Girls\n\t\tHonorable\t0\t0\t0\t\n$`)
	if m := want.FindStringSubmatch(all["results.tsv"]); m == nil || m[1] != m[2] || m[1] == "0" {
		t.Errorf("the results:\n%q, want\n%s", all["results.tsv"], want)
	}
	var awards []struct {
		ID    string   `json:"id"`
		Teams []string `json:"team_ids"`
	}
	if err := json.Unmarshal([]byte(all["awards.json"]), &awards); err != nil || len(awards) != 8 || awards[0].ID != "winner" ||
		!slices.Equal(awards[0].Teams, []string{"7"}) {
		t.Errorf("the awards: %v\n%s", err, all["awards.json"])
	}
	var table struct {
		Rows []struct {
			Team string `json:"team_id"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(all["scoreboard.json"]), &table); err != nil || len(table.Rows) != 2 || table.Rows[0].Team != "7" {
		t.Errorf("the scoreboard: %v\n%s", err, all["scoreboard.json"])
	}
	count, last, tokens := map[string]int{}, "", map[string]bool{}
	for line := range strings.Lines(all["event-feed.ndjson"]) {
		var e struct{ Type, Token string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		count[e.Type]++
		last, tokens[e.Token] = e.Token, true
	}
	now, err := (&feed.Registry{Intake: h.Intake}).Contest(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	total := strings.Count(all["event-feed.ndjson"], "\n")
	for token := range tokens {
		cursor, err := now.NewCursor(t.Context(), feed.Reader{Version: clics.V2026, Role: clics.Judge}, token, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rest, err := cursor.Next(); err != nil || (len(rest.Lines) < total) != (token == last) {
			t.Errorf("after the token %s, the feed has %d further lines, %v; the last token is %s", token, len(rest.Lines), err, last)
		}
	}
	if len(tokens) != 2 {
		t.Errorf("the event feed has the tokens %v, want one for the last line and one for all others", tokens)
	}
	if count["contest"] != 1 || count["teams"] != 3 || count["submissions"] != 3 || count["judgements"] != 3 || count["awards"] != 8 ||
		last == "" {
		t.Errorf("the event feed has %v, its last token is %q", count, last)
	}
}

// TestPackage checks that the package contains every file and no passwords.
func TestPackage(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", time.Hour, store.VisibilityPublic, store.Settings{})
	h.Clarify(c, store.NewClarification{Text: "may I?"}, "ada") // ada joins the contest with this request
	names, all := files(t, h, c, contestexport.Package)
	want := "accounts.json contest.json groups.json organizations.json persons.json problems.json teams.json awards.json event-feed.ndjson " +
		"results.tsv scoreboard.json"
	if strings.Join(names, " ") != want || !strings.Contains(all["contest.json"], `"id": "spring"`) ||
		!strings.Contains(all["teams.json"], `"name": "ada`) || !strings.Contains(all["problems.json"], `"id": "sum"`) {
		t.Errorf("%q\n%q", names, all)
	}
}

// TestMedia checks that the package has the files of the contest except the scaled ones, and that a scoreboard has
// the logos that it shows and no other file.
func TestMedia(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -time.Minute, store.VisibilityPublic, store.Settings{})
	n := &store.ContestImport{
		ID: c.ID, Organizations: []store.Organization{{ID: "u1", Name: "One"}, {ID: "u2", Name: "Two"}},
		Teams: []store.Team{{ExtID: "7", Name: "ada", Organization: "u1"}},
	}
	if _, _, err := h.Store.ImportContest(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	var all []media.File
	for i, at := range []media.Place{
		{Type: media.Contest, Property: "banner", Filename: "banner.svg"},
		{Type: media.Organizations, Object: "u1", Property: media.Logo, Filename: "logo.svg"},
		{Type: media.Organizations, Object: "u2", Property: media.Logo, Filename: "logo.svg"},
		{Type: media.Organizations, Object: "u2", Property: media.Logo, Filename: "logo.1x1.svg"},
	} {
		drawing := fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="8"/>`, 100+i)
		f := webtest.Must[media.File](t)(media.New(at, drawing))
		f.Scaled = i == 3
		h.StoreBlob(drawing)
		all = append(all, f)
	}
	if err := h.Store.ChangeMedia(t.Context(), c.ID, nil, all); err != nil {
		t.Fatal(err)
	}
	pictures := func(p contestexport.Archive) (found []string) {
		names, _ := files(t, h, c, p)
		for _, name := range names {
			if strings.HasSuffix(name, ".svg") {
				found = append(found, name)
			}
		}
		slices.Sort(found)
		return found
	}
	if got, want := pictures(contestexport.Package), []string{"contest/banner.svg", "organizations/u1/logo.svg",
		"organizations/u2/logo.svg"}; !slices.Equal(got, want) {
		t.Errorf("the package has %q, want %q", got, want)
	}
	if got, want := pictures(contestexport.Scoreboard), []string{"media/organizations/u1/logo/logo.svg"}; !slices.Equal(got, want) {
		t.Errorf("the scoreboard has %q, want %q", got, want)
	}
}

// TestResultsTable checks that the ranks and awards in results.tsv are those of the main scoreboard.
func TestResultsTable(t *testing.T) {
	h := webtest.New(t)
	n := &store.ContestImport{
		Contest: &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(time.Hour), Length: 5 * time.Hour,
			Visibility: store.VisibilityPublic},
		Problems: []store.NewContestProblem{{Label: "A", Slug: "sum"}},
		Groups:   []store.Group{{ID: "1", Name: "North"}, {ID: "2", Name: "South"}},
		Teams: []store.Team{
			{ExtID: "1", ICPCID: "100", Name: "ada", GroupIDs: []string{"1"}}, {ExtID: "2", ICPCID: "200", Name: "bob", GroupIDs: []string{"1"}},
			{ExtID: "3", ICPCID: "300", Name: "chair", GroupIDs: []string{"2"}}, {ExtID: "4", ICPCID: "400", Name: "judge", GroupIDs: []string{"1"}},
			{ExtID: "5", ICPCID: "500", Name: "hidden", Hidden: true},
		},
	}
	id, _, err := h.Store.ImportContest(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	teams := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), id))
	is := func(when, want string, change func(c *store.Contest)) {
		t.Helper()
		c := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), id))
		change(c)
		if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		_, all := files(t, h, c, contestexport.Package)
		if got := strings.TrimSuffix(all["results.tsv"], "\n"); got != "File_Version\t1"+want {
			t.Errorf("%s:\n%q, want\n%q", when, got, want)
		}
	}
	const none = "\t\t\t0\t0\t0\t"
	is("before the start", "\n100"+none+"\n200"+none+"\n300"+none+"\n400"+none, func(*store.Contest) {})
	const honorable = "\t\tHonorable\t0\t0\t0\t"
	is("after the start", "\n100"+honorable+"\n200"+honorable+"\n300"+honorable+"\n400"+honorable, func(c *store.Contest) {
		c.Starts = time.Now().Add(-4 * time.Hour)
	})
	solve := func(team, minute int) {
		t.Helper()
		c := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), id))
		n := store.NewSubmission{
			Contest: id, Account: h.Accounts["admin"].ID, Team: teams[team].ID, Problem: "sum", Priority: job.ContestPriority, Class: "main",
			At: c.Starts.Add(time.Duration(minute) * time.Minute),
			Work: job.Work{Kind: job.Submission, Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: "a.py",
				Files: []job.File{{Path: "a.py", Size: 1, Digest: h.Problem.Bundle}}},
		}
		a, err := h.Store.Submit(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		h.RecordJudgement(a, webtest.AcceptedEvents()...)
	}
	for team, minute := range []int{10, 20, 30, 30} {
		solve(team, minute)
	}
	solve(4, 1) // a hidden team
	medals := func(gold, silver int) func(c *store.Contest) {
		return func(c *store.Contest) { c.Settings.Medals = &store.Medals{Gold: gold, Silver: silver} }
	}
	const first, second = "\n100\t1\tGold Medal\t1\t10\t10\tNorth", "\n200\t2\tSilver Medal\t1\t20\t20\t"
	is("medals", first+second+"\n300\t3\tRanked\t1\t30\t30\tSouth\n400\t3\tRanked\t1\t30\t30\t", medals(1, 1))
	is("shared", first+second+"\n300\t3\tSilver Medal\t1\t30\t30\tSouth\n400\t3\tSilver Medal\t1\t30\t30\t", medals(1, 2))
	is("the World Finals", first+"\n200\t2\tRanked\t1\t20\t20\t\n300\t2\tRanked\t1\t30\t30\tSouth\n400\t2\tRanked\t1\t30\t30\t",
		func(c *store.Contest) {
			c.Settings.Medals, c.Settings.WorldFinals = &store.Medals{Gold: 1}, true
		})
	is("the main group", first+"\n200\t2\tBronze Medal\t1\t20\t20\t\n400\t3\tBronze Medal\t1\t30\t30\t", func(c *store.Contest) {
		c.MainGroup, c.Settings.WorldFinals = "1", false
		c.Settings.Medals = &store.Medals{Gold: 1, Bronze: 2}
	})
	is("medals by hand", "\n100\t1\tRanked\t1\t10\t10\tNorth\n200\t2\tGold Medal\t1\t20\t20\t\n400\t3\tRanked\t1\t30\t30\t",
		func(c *store.Contest) {
			c.Settings.Awards, c.Settings.AwardsOff = []store.CustomAward{{ID: "gold-medal", Citation: "Gold",
				Teams: []string{"2"}}}, []string{"bronze-medal"}
		})
}
