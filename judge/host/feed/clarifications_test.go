package feed_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/store"
)

// TestClarificationsToSome checks that a message from the jury to teams and groups is one object in 2026-01, and
// one per team in 2023-06. Only these teams see it.
func TestClarificationsToSome(t *testing.T) {
	w := newWorld(t)
	registry := &feed.Registry{Intake: w.intake}
	say := func(n store.NewClarification) {
		t.Helper()
		n.Contest, n.Account = w.contest, w.people[0].ID
		_, err := w.store.Clarify(t.Context(), n)
		w.must(err)
	}
	ids := func(of ...int) (all []string) {
		for _, i := range of {
			all = append(all, w.teams[i].ID)
		}
		return all
	}
	// Teams 0 to 2 are in group east, 3 and 4 in west. Team 4 is hidden.
	long := strings.Repeat("x", 36)
	say(store.NewClarification{Team: w.teams[0].ID, Text: "why?"})
	say(store.NewClarification{Jury: true, ReplyTo: 1, Text: "so", Teams: ids(0, 3, 4)})
	say(store.NewClarification{Jury: true, Text: "east", Groups: []string{"east"}, ExtID: "e"})
	say(store.NewClarification{Jury: true, Text: "mixed", Groups: []string{"west"}, Teams: ids(1), ExtID: long})
	say(store.NewClarification{Jury: true, Text: "taken", Teams: ids(3), ExtID: "e-2"})
	say(store.NewClarification{Jury: true, Text: "about A", Groups: []string{"east"}, Problem: "p0", ExtID: "a"})
	look := func(to feed.Reader) string {
		c, err := registry.Contest(t.Context(), w.contest)
		w.must(err)
		lines, err := c.List(to, clics.Clarifications)
		w.must(err)
		var out []string
		for _, l := range lines {
			var o struct {
				Text, ID string
				Teams    []string `json:"to_team_ids"`
				Groups   []string `json:"to_group_ids"`
				Team     string   `json:"to_team_id"`
				Reply    string   `json:"reply_to_id"`
			}
			w.must(json.Unmarshal(l.Data, &o))
			text := o.ID + ":" + o.Text
			if len(o.Teams)+len(o.Groups)+len(o.Team) > 0 {
				text += fmt.Sprint(">", o.Team, strings.Join(append(o.Teams, o.Groups...), "+"))
			}
			if o.Reply != "" {
				text += "<" + o.Reply
			}
			out = append(out, text)
		}
		return strings.ReplaceAll(strings.Join(out, " "), "xxxxxxxxxx", "X")
	}
	check := func(when string, want map[string]string) {
		t.Helper()
		for _, v := range clics.Versions {
			for i := range w.teams {
				name := fmt.Sprint(v, " team ", i)
				if got := look(feed.Reader{Version: v, Role: clics.Team, Team: w.teams[i].ID}); got != want[name] {
					t.Errorf("%s, %s:\n%s\nwant\n%s", when, name, got, want[name])
				}
			}
			for _, role := range clics.Roles {
				name, got := fmt.Sprint(v, " all"), look(feed.Reader{Version: v, Role: role})
				if !role.SeesAll() && role != clics.Analyst {
					name = ""
				}
				if role == clics.Analyst && when == "before the start" { // an analyst sees no problem yet
					got += want[name][strings.Index(want[name], " a:"):]
				}
				if got != want[name] {
					t.Errorf("%s, %s sees\n%s\nwant\n%s", when, role, got, want[name])
				}
			}
		}
	}
	const all26 = "1:why? 2:so>t0+t3+t4<1 e:east>east XXXxxxxxx:mixed>t1+west e-2:taken>t3 a:about>east"
	want := map[string]string{
		"2026-01 all":    strings.Replace(all26, "about", "about A", 1),
		"2026-01 team 0": "1:why? 2:so>t0+t3<1 e:east>east",
		"2026-01 team 1": "e:east>east XXXxxxxxx:mixed>t1+west",
		"2026-01 team 2": "e:east>east",
		"2026-01 team 3": "2:so>t0+t3 XXXxxxxxx:mixed>t1+west e-2:taken>t3",
		"2026-01 team 4": "2:so>t0+t3+t4 XXXxxxxxx:mixed>t1+west",
		"2023-06 all": "1:why? 2:so>t0<1 2-2:so>t3<1 2-3:so>t4<1 e:east>t0 e--2:east>t1 e-3:east>t2 " +
			"XXXxxxxxx:mixed>t1 XXXxxxx-2:mixed>t3 XXXxxxx-3:mixed>t4 e-2:taken>t3 a:about A>t0 a-2:about A>t1 a-3:about A>t2",
		"2023-06 team 0": "1:why? 2:so>t0<1 e:east>t0",
		"2023-06 team 1": "e--2:east>t1 XXXxxxxxx:mixed>t1",
		"2023-06 team 2": "e-3:east>t2",
		"2023-06 team 3": "2-2:so>t3 XXXxxxx-2:mixed>t3 e-2:taken>t3",
		"2023-06 team 4": "2-3:so>t4 XXXxxxx-3:mixed>t4",
	}
	check("before the start", want)
	w.now = start
	for i := range 3 { // clarifications about a problem are visible from the start on
		for _, v := range clics.Versions {
			want[fmt.Sprint(v, " team ", i)] += " a" + map[bool]string{true: fmt.Sprint("-", i+1)}[v == clics.V2023 && i > 0] + ":about A>" +
				map[clics.Version]string{clics.V2026: "east", clics.V2023: fmt.Sprint("t", i)}[v]
		}
	}
	check("after the start", want)
	// Team 2 moves to the west.
	moved := *w.teams[2]
	moved.Groups = []string{"West"}
	w.must(w.store.SetTeam(t.Context(), &moved, ""))
	want["2026-01 team 2"], want["2023-06 team 2"] = "XXXxxxxxx:mixed>t1+west", "XXXxxxx-2:mixed>t2"
	want["2023-06 team 3"] = "2-2:so>t3 XXXxxxx-3:mixed>t3 e-2:taken>t3"
	want["2023-06 team 4"] = "2-3:so>t4 XXXxxxx-4:mixed>t4"
	delete(want, "2023-06 all")
	for name, text := range want {
		if strings.Contains(name, "team") {
			var i int
			var v string
			fmt.Sscanf(name, "%s team %d", &v, &i)
			if got := look(feed.Reader{Version: clics.Version(v), Role: clics.Team, Team: w.teams[i].ID}); got != text {
				t.Errorf("after a move, %s:\n%s\nwant\n%s", name, got, text)
			}
		}
	}
	if got := look(feed.Reader{Version: clics.V2023, Role: clics.Judge}); strings.Count(got, "east>") != 2 ||
		strings.Count(got, "mixed>") != 4 {
		t.Errorf("after a move, a judge sees %s", got)
	}
}
