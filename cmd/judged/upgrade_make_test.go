package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/demo"
	"assay/judge/host/intake"
	"assay/judge/host/server"
	"assay/judge/host/store"
)

// next is the version in preparation. After its release, set next to the following version to write that version's
// files.
const next = "1.0.0"

// makeReleased writes the stored files of the version in preparation. It refuses to overwrite the files of a
// released version. Because the files differ each time, -update writes them only if the test is selected by name.
func makeReleased(t *testing.T, judgeCommand string) {
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "TestUpgrade") {
		t.Skip("to write the files again: go test ./cmd/judged -run TestUpgrade -update")
	}
	if err := unreleased(".", next); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(releasedDir, next)
	must(t, os.RemoveAll(dir))
	must(t, os.MkdirAll(dir, 0o755))
	made := fill(t, dir)
	must(t, archiveOf(made, filepath.Join(dir, savedServer)))
	writeAnswers(t, dir)
	writeBundle(t, judgeCommand, dir)
	writeTournament(t, judgeCommand, dir)
}

// unreleased returns an error if version has a tag in the repository of dir, or if that cannot be determined.
func unreleased(dir, version string) error {
	git := exec.Command("git", "tag", "--list", "v"+version)
	git.Dir = dir
	out, err := git.Output()
	if err != nil {
		return fmt.Errorf("look whether %s is released: %w\n    write the files of a version in a clone of the repository, with its tags",
			version, err)
	}
	if len(bytes.TrimSpace(out)) > 0 {
		return fmt.Errorf("%s is released, and its files stay unchanged\n    set next in upgrade_make_test.go to the version that is being "+
			"prepared", version)
	}
	return nil
}

// TestUnreleased checks that the files of a version can be written only before its release.
func TestUnreleased(t *testing.T) {
	dir := t.TempDir()
	if err := unreleased(dir, "1.0.0"); err == nil || !strings.Contains(err.Error(), "in a clone of the repository") {
		t.Errorf("outside of a repository: %v", err)
	}
	for _, args := range []string{"init -q", "-c user.name=a -c user.email=a@b commit -q --allow-empty -m empty", "tag v1.0.1"} {
		git := exec.Command("git", strings.Fields(args)...)
		git.Dir = dir
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	if err := unreleased(dir, "1.0.0"); err != nil {
		t.Error(err)
	}
	if err := unreleased(dir, "1.0.1"); err == nil || !strings.Contains(err.Error(), "1.0.1 is released") {
		t.Errorf("a released version: %v", err)
	}
}

// fill creates a server with all the data of the demo, adds what only a jury does, and returns a backup. The
// contest is over, so that responses do not depend on the time.
func fill(t *testing.T, dir string) (backup string) {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	o := upgradeOptions(data)
	publishSome(t, o, "wythoff", "sylver")
	logins, err := demo.Fill(t.Context(), demo.Options{
		Data: data, Version: o.Version, Class: server.Class, Admin: intake.AdminLogin, Now: time.Now().Add(-48 * time.Hour),
		Submissions: 40, Games: 30,
	})
	must(t, err)
	passwords := map[string]string{}
	for _, l := range logins {
		passwords[l.Login] = l.Password
	}
	text, err := json.MarshalIndent(passwords, "", "  ")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, savedPasswords), append(text, '\n'), 0o644))
	conclude(t, data)
	r := startReader(t, data, passwords)
	for _, page := range []string{"/c/" + demo.Slug + "/balloons", "/c/" + demo.Slug + "/scoreboard"} {
		r.ask(intake.AdminLogin, page) // settles the balloons, and stores the scoreboard
	}
	address, token, err := server.Admin(data)
	must(t, err)
	api, err := client.New(client.Options{Address: address, Token: token, Version: o.Version})
	must(t, err)
	invited, err := api.CreateInvitation(t.Context(), client.NewInvitation{Note: "open day", Contest: demo.Slug, Days: 30, Uses: 10})
	must(t, err)
	must(t, api.RevokeInvitation(t.Context(), invited.ID)) // otherwise it would expire later
	_, err = api.CreateToken(t.Context(), client.NewToken{Login: "team1", Label: "laptop", Scopes: []client.Scope{client.Submit}})
	must(t, err)
	backup, err = api.CreateBackup(t.Context(), "released")
	must(t, err)
	return backup
}

// publishSome starts a server to publish some of the bundled problems.
func publishSome(t *testing.T, o server.Options, names ...string) {
	t.Helper()
	s, err := server.Start(t.Context(), o)
	must(t, err)
	defer s.Stop()
	address, err := client.ParseAddress(s.Address())
	must(t, err)
	api, err := client.New(client.Options{Address: address, Token: s.AdminToken, Version: o.Version})
	must(t, err)
	contest, err := cli.FindContest()
	must(t, err)
	defer func() { must(t, contest.Close()) }()
	for _, name := range names {
		_, _, err := publishOne(t.Context(), api, contest, name)
		must(t, err)
	}
}

// conclude writes to the store what a jury does after a contest: awards, prints, a verdict override, a rejudging,
// and final results.
func conclude(t *testing.T, data string) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: data})
	must(t, err)
	defer func() { must(t, s.Close()) }()
	c, err := s.ContestBySlug(t.Context(), demo.Slug)
	must(t, err)
	teams, err := s.Teams(t.Context(), c.ID)
	must(t, err)
	team, err := s.AccountByLogin(t.Context(), "team1")
	must(t, err)
	judges, err := s.AccountByLogin(t.Context(), "judge")
	must(t, err)
	c.Settings.Printing, c.Settings.BalloonsInFreeze = true, 2
	c.Settings.Medals = &store.Medals{Gold: 1, Silver: 1, Bronze: 2}
	c.Settings.Awards = []store.CustomAward{{ID: "best-name", Citation: "Best team name", Teams: []string{teams[0].ExtID}}}
	must(t, s.SetContest(t.Context(), c, nil))
	_, err = s.NewPrint(t.Context(), store.Print{
		Contest: c.ID, Team: teams[0].ID, Account: team.ID, Name: "a.py", Language: "Python", Body: "print(1)\n", Pages: 1,
	}, 10)
	must(t, err)
	some, err := s.Submissions(t.Context(), store.SubmissionFilter{Contest: c.ID, Limit: 1})
	must(t, err)
	must(t, s.AddOverride(t.Context(), some[0].ID, judges.ID, store.Override{Verdict: judge.WrongAnswer, Why: "read it"}, 0))
	filter := store.SubmissionFilter{Contest: c.ID, Verdict: string(judge.WrongAnswer)}
	_, _, err = s.Rejudge(t.Context(), store.NewRejudging{Filter: filter, Why: "an answer file was wrong", Account: judges.ID})
	must(t, err)
	c, err = s.Contest(t.Context(), c.ID)
	must(t, err)
	c.Finalized, c.FinalB, c.FinalBy, c.Thaw = time.Now().Add(-time.Hour), 1, "The jury", time.Now().Add(-time.Hour)
	must(t, s.SetContest(t.Context(), c, nil))
}

// archiveOf writes the files of a backup to an archive.
func archiveOf(dir, archive string) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	files := tar.NewWriter(z)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(filepath.ToSlash(name), "blobs/") {
			name = blobsHere // digests in file names do not compress
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := files.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Size: int64(len(data)), Mode: 0o600}); err != nil {
			return err
		}
		_, err = files.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	if err := files.Close(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(archive, b.Bytes(), 0o644)
}

// asked lists, for each account, the requests whose responses are stored.
var asked = []struct {
	as    string
	paths []string
}{
	{"token", []string{
		"/v1/account", "/v1/problems", "/v1/contests/demo/scoreboard", "/v1/contests/demo/scoreboard?view=jury", "/v1/contests/demo/rejudgings",
		"/v1/submissions?contest=demo", "/v1/tokens", "/v1/accounts", "/v1/invitations", "/v1/classes", "/v1/judgements",
	}},
	{"admin", below("/api/contests/demo", "", "/access", "/state", "/judgement-types", "/languages", "/problems", "/groups", "/organizations",
		"/teams", "/persons", "/accounts", "/submissions", "/judgements", "/clarifications", "/awards", "/scoreboard")},
	{"admin", below("/api/2026-01/contests/demo", "", "/accounts", "/problems", "/teams", "/clarifications", "/scoreboard", "/submissions")},
	{"judge", below("/api/contests/demo", "", "/accounts", "/judgements", "/clarifications")},
	{"team1", below("/api/contests/demo", "", "/account", "/submissions", "/judgements", "/clarifications", "/scoreboard")},
	{"", below("/api/contests/demo", "", "/problems", "/teams", "/submissions", "/judgements", "/clarifications", "/awards", "/scoreboard",
		"/accounts")},
}

// below returns the addresses of paths below address.
func below(address string, paths ...string) (all []string) {
	for _, p := range paths {
		all = append(all, address+p)
	}
	return all
}

// seen lists pages with some text that each must contain.
var seen = []stored{
	{As: "", Path: "/c/demo", Has: []string{"The demo"}},
	{As: "", Path: "/c/demo/scoreboard", Has: []string{"Ackermann", "Big O No", "Halting Problems"}},
	{As: "", Path: "/ladder/hill", Has: []string{"The hill"}},
	{As: "", Path: "/hole/wythoff", Has: []string{"The hole of wythoff"}},
	{As: "team1", Path: "/c/demo/clar", Has: []string{"Any text that is not a position"}},
	{As: "admin", Path: "/c/demo/prints", Has: []string{"a.py"}},
	{As: "judge", Path: "/c/demo/submissions", Has: []string{"Ackermann", "Fork Bombers"}},
	{As: "admin", Path: "/c/demo/finalize", Has: []string{"The jury", "Best team name"}},
	{As: "admin", Path: "/c/demo/balloons", Has: []string{"Big O No"}},
	{As: "admin", Path: "/c/demo/rejudgings", Has: []string{"an answer file was wrong"}},
	{As: "admin", Path: "/admin/invitations", Has: []string{"open day"}},
}

// writeAnswers stores the responses of two servers restored from the new backup. Fields that differ between the
// servers are omitted, because they depend on the process or on the time.
func writeAnswers(t *testing.T, dir string) {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	must(t, err)
	one := startReader(t, restoreReleased(t, filepath.Join(dir, savedServer)), readPasswords(t, dir))
	two := startReader(t, restoreReleased(t, filepath.Join(dir, savedServer)), readPasswords(t, dir))
	add := func(as, path string, has []string) stored {
		a, b := one.ask(as, path), two.ask(as, path)
		if has != nil && a.Code != 200 {
			t.Errorf("%s as %q: status %d", path, as, a.Code)
		}
		for _, text := range has {
			if !strings.Contains(a.page, text) {
				t.Errorf("%s as %q: the page lacks %q", path, as, text)
			}
		}
		a.Has, a.Values = has, steady(a.Values, b.Values).([]any)
		must(t, json.NewEncoder(z).Encode(a))
		return a
	}
	for _, some := range asked {
		for _, path := range some.paths {
			a := add(some.as, path, nil)
			if a.Code != 200 && some.as != "" {
				t.Errorf("%s as %q: status %d", path, some.as, a.Code)
			}
			if path == "/v1/contests/demo/rejudgings" || path == "/v1/submissions?contest=demo" {
				list, _, _ := strings.Cut(path, "?")
				add(some.as, strings.Replace(list, "/contests/demo", "", 1)+"/"+first(t, a), nil)
			}
		}
	}
	for _, page := range seen {
		add(page.As, page.Path, page.Has)
	}
	must(t, z.Close())
	must(t, os.WriteFile(filepath.Join(dir, savedAnswers), b.Bytes(), 0o644))
}

// first returns the id of the first object in a response.
func first(t *testing.T, a stored) string {
	t.Helper()
	data, err := json.Marshal(a.Values[0])
	must(t, err)
	_, rest, found := strings.Cut(string(data), `"id":"`)
	if !found {
		t.Fatalf("%s has no id: %.200s", a.Path, data)
	}
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// steady returns the common part of a and b. Fields that differ are omitted.
func steady(a, b any) any {
	switch x := a.(type) {
	case map[string]any:
		y, _ := b.(map[string]any)
		out := map[string]any{}
		for name, value := range x {
			if other, is := y[name]; is && name != "last_day" { // last_day is today
				if common := steady(value, other); common != nil || value == nil {
					out[name] = common
				}
			}
		}
		return out
	case []any:
		y, is := b.([]any)
		if !is || len(x) != len(y) {
			return nil
		}
		out := make([]any, len(x))
		for i := range x {
			out[i] = steady(x[i], y[i])
		}
		return out
	}
	if a != b {
		return nil
	}
	return a
}

// writeBundle bundles a small problem, and judges a program with the bundle.
func writeBundle(t *testing.T, judgeCommand, dir string) {
	t.Helper()
	contest := t.TempDir()
	for name, text := range map[string]string{
		"judge.toml": "[[language]]\nid = \"ours\"\nname = \"Our shell\"\nextensions = [\"sh\"]\nfile = \"main.sh\"\n" +
			"run = [\"/bin/sh\", \"/program/{entry}\"]\nhello = \"echo\"\n",
		"problems/sum/problem.toml": "title = \"Sum\"\n[reference]\nprogram = \"reference\"\n[generator]\nprogram = \"generator.sh\"\n" +
			"speaks = \"plain\"\n[[group]]\nname = \"many\"\ncases = [\"pair 3 4\", \"pair 5 6\", \"pair 7 7\"]\n",
		"problems/sum/statement.md":      "Add them. They are 0 to 100.\n",
		"problems/sum/input.format":      "line a: int 0..100 b: int 0..100\n",
		"problems/sum/reference.sh":      "read a b\necho $((a + b))\n",
		"problems/sum/generator.sh":      "echo $2 $3\n",
		"problems/sum/cases/sample/1.in": "1 1\n", "problems/sum/cases/sample/1.ans": "2\n",
	} {
		file := filepath.Join(contest, name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must(t, os.WriteFile(file, []byte(text), 0o600))
	}
	to, err := filepath.Abs(dir)
	must(t, err)
	for _, args := range []string{"generate sum", "bundle sum " + to} {
		cmd := exec.Command(judgeCommand, strings.Fields(args)...)
		cmd.Dir = contest
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("judge %s: %v\n%s", args, err, out)
		}
	}
	program := filepath.Join(dir, savedProgram)
	must(t, os.WriteFile(program, []byte("read a b\nif [ $a = 5 ]; then echo 0; else echo $((a + b)); fi\n"), 0o644))
	events, err := exec.Command(judgeCommand, "submit", filepath.Join(dir, savedBundle), program, "--all", "--json").Output()
	if exit, is := err.(*exec.ExitError); !is || exit.ExitCode() != 1 {
		t.Fatalf("judge submit: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, savedJudging), events, 0o644))
}

// bot is a program for sylver that names a number below the lowest one.
const bot = `package main

import "fmt"

func main() {
	for {
		var word string
		if _, err := fmt.Scan(&word); err != nil {
			return
		}
		switch word {
		case "sylver":
			fmt.Println("ready pure")
		case "move":
			var k int
			fmt.Scan(&k)
			low := 1 << 60
			for range k {
				var n int
				fmt.Scan(&n)
				low = min(low, n)
			}
			fmt.Println(max(1, low%s))
		}
	}
}
`

// writeTournament runs a tournament between two bots.
func writeTournament(t *testing.T, judgeCommand, dir string) {
	t.Helper()
	bots := t.TempDir()
	for name, step := range map[string]string{"half.go": "/2", "less.go": "-1"} {
		must(t, os.WriteFile(filepath.Join(bots, name), fmt.Appendf(nil, bot, step), 0o644))
	}
	log, err := filepath.Abs(filepath.Join(dir, savedTournament))
	must(t, err)
	cmd := exec.Command(judgeCommand, "arena", "sylver", "half.go", "less.go", "--rounds", "2", "--start", "100..999", "--log", log,
		"--look", "0")
	cmd.Dir = bots
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("judge arena: %v\n%s", err, out)
	}
	table, err := standingsOf(judgeCommand, filepath.Join(dir, savedTournament))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, savedStandings), table, 0o644))
}
