package contestpackage

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"assay/judge/host/store"
)

// TestWriteArchives imports archives and writes the contest as a package. Importing it must change nothing on the
// same server, and create the same contest on another server.
func TestWriteArchives(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) < 4 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		now := server()
		part := map[string][]byte{}
		for file, data := range archive(t, filepath.Base(name)) {
			if in, base, is := strings.Cut(file, "/"); is && in == "1" {
				part[base] = data
			}
		}
		p, err := plan(t, now, part)
		if err != nil {
			t.Fatal(err)
		}
		now.apply(p)
		if now.Contest != nil {
			identity(t, now)
		}
	}
}

// fataler is a test.
type fataler interface {
	Fatalf(format string, args ...any)
}

// identity checks that importing the written package changes nothing.
func identity(t fataler, now *CurrentState) {
	files, err := Write(now)
	if err != nil {
		t.Fatalf("%v", err)
	}
	slug := now.Contest.Slug
	into := func(now *CurrentState) *Plan {
		p, err := Read(files)
		var out *Plan
		if err == nil {
			out, err = PlanImport(context.Background(), p, slug, now)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, written(files))
		}
		return out
	}
	if p := into(now); !p.Empty() || len(p.Lines) > 0 || len(p.Notes) > 0 || p.Import.Contest != nil {
		t.Fatalf("importing what was written does\n%s\n%s", report(p), written(files))
	}
	other := server()
	other.Published = now.Published
	other.apply(into(other))
	if a, b := now.likeNew(), other.likeNew(); a != b {
		t.Fatalf("a contest is\n%s\nand elsewhere\n%s\n%s", a, b, written(files))
	}
	if strings.Contains(written(files), "a-secret") {
		t.Fatalf("a password is written:\n%s", written(files))
	}
}

// likeNew returns the state without data that a package cannot contain: passwords, and which import created an
// account.
func (now *CurrentState) likeNew() string {
	var kept []string
	for line := range strings.Lines(now.state()) {
		if !strings.HasPrefix(line, "account ") {
			kept = append(kept, line)
		}
	}
	for _, a := range now.ListedAccounts {
		kept = append(kept, fmt.Sprintf("account %s %s %s team %q person %q %q role %q\n", a.ID, a.Type, a.Account.Login, a.Team, a.Person,
			a.Addresses, now.Roles[a.Account.ID]))
	}
	return strings.Join(kept, "")
}

func written(files map[string][]byte) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "-- %s --\n%s", name, files[name])
	}
	return b.String()
}

// TestWriteOddTimes checks that an import keeps contest times that a package cannot express, and that a manual
// freeze is not written as the planned one.
func TestWriteOddTimes(t *testing.T) {
	for _, c := range []store.Contest{
		{},
		{Freeze: time.Hour},
		{Length: time.Hour, Freeze: time.Hour},
		{Length: time.Hour, Freeze: 2 * time.Hour},
		{Length: time.Hour, Freeze: 10 * time.Minute, Settings: store.Settings{Planned: 50 * time.Minute}},
	} {
		c.Slug, c.Name, c.Format = "spring", "Spring", store.ICPC
		now := server()
		now.Contest = &c
		files, err := Write(now)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := plan(t, now, files); err != nil || !p.Empty() {
			t.Errorf("%+v: %v\n%s", c, err, written(files))
		}
		if c.Settings.Planned != 0 && !strings.Contains(written(files), `"scoreboard_freeze_duration": "0:10:00.000"`) {
			t.Errorf("a freeze by hand is written as the planned one:\n%s", written(files))
		}
	}
}

// TestWriteAny checks that importing a written package changes nothing, for any names and settings.
func TestWriteAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(below int) int { return rapid.IntRange(0, below-1).Draw(t, "draw") }
		words := []string{"Ä b", "null", "7", "a: b", "# no", "\"q\" \\ '", "- x", "{}", "<b>", "日本", "true", "~", "!t"}
		name := func() string { return words[draw(len(words))] }
		maybe := func() string { return []string{"", name()}[draw(2)] }
		now := server()
		now.Published = append(now.Published, &store.Problem{ID: "3", Slug: "sum"})
		c := &store.Contest{Slug: "regional-26", Name: name(), FormalName: maybe(), Format: store.ICPC, Visibility: store.VisibilityTeams,
			Length: time.Duration(1+draw(600)) * time.Minute}
		if draw(3) > 0 {
			c.Starts = now.Now.Add(time.Duration(draw(1e6)) * time.Millisecond)
		}
		if draw(2) == 0 {
			c.Freeze = c.Length * time.Duration(1+draw(9)) / 10
		}
		if draw(4) == 0 {
			c.Format = store.IOI
		} else {
			c.Settings.Penalty = draw(20) // below 20, because 20 is written like the default 0
		}
		now.Contest = c
		for i, slug := range []string{"asteroids", "bottles", "sum"}[:draw(4)] {
			p := &store.ContestProblem{Label: string(rune('A' + i)), ExtID: slug, Problem: &store.Problem{Slug: slug, Title: maybe()}}
			if draw(2) == 0 {
				p.ExtID = fmt.Sprint("P.", i)
			}
			switch draw(4) {
			case 0:
				p.Color, p.ColorName = "#0aF"+"012", maybe()
			case 1:
				p.Color = "red"
			case 2:
				p.ColorName = "a: dark #red"
			}
			now.Problems = append(now.Problems, p)
		}
		spot := func(text string) string { return []string{"", text}[draw(2)] }
		for i := range draw(3) {
			now.Groups = append(now.Groups, store.Group{ID: fmt.Sprint("g", i), ICPCID: maybe(), Name: name() + fmt.Sprint(i), Type: maybe(),
				Location: spot(`{"latitude":1.5,"longitude":-2}`)})
			now.Organizations = append(now.Organizations,
				store.Organization{ID: fmt.Sprint("0", i), ICPCID: maybe(), Name: name(), FormalName: maybe(),
					Country: spot("DEU"), Region: spot("DE-BY"), URL: spot("https://u.example/?a=b#c"), Location: spot(`{"latitude":1,"longitude":2}`)})
		}
		if len(now.Groups) > 0 && draw(2) == 0 {
			c.MainGroup = "g0"
		}
		for i := range draw(4) {
			team := &store.Team{ExtID: fmt.Sprint(i), ICPCID: maybe(), Name: name(), Label: maybe(), DisplayName: maybe(), Hidden: draw(3) == 0,
				Location: spot(`{"rotation":90,"x":1,"y":0.25}`)}
			if len(now.Groups) > 0 && draw(2) == 0 {
				team.GroupIDs, team.Organization = []string{"g0"}, "00"
			}
			now.Teams = append(now.Teams, team)
			now.Persons = append(now.Persons, &store.ContestPerson{ID: fmt.Sprint("p", i), ICPCID: maybe(), Name: name(), Title: maybe(),
				Email: maybe(),
				Sex:   spot("male"), Role: []string{"contestant", "coach"}[draw(2)], Teams: []string{team.ExtID}})
			a := &store.Account{ID: fmt.Sprint("id", i), Login: fmt.Sprint("team", i), Display: name(), Password: "a-secret"}
			one := &store.ContestAccount{ID: fmt.Sprint("t.", i), Type: "team", Team: team.ExtID, Person: spot(fmt.Sprint("p", i)), Account: a,
				Created: draw(2) == 0}
			if draw(2) == 0 {
				one.Addresses = []string{"10.0.0.0/8"}
			}
			now.ListedAccounts, now.Accounts = append(now.ListedAccounts, one), append(now.Accounts, a)
			now.Roles[a.ID] = roleOf("team")
		}
		identity(t, now)
	})
}
