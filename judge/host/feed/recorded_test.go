package feed_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
)

// recordedEnv names the event feed of a contest for TestReplay to replay. If it is not set, TestReplay replays a
// random contest.
const recordedEnv = "ASSAY_RECORDED"

// A recording is a contest to replay.
type recording struct {
	contest     store.Contest
	groups      []store.Group
	teams       []store.Team
	problems    []store.NewContestProblem
	languages   []client.OfferedLanguage
	submissions []played            // in the order of their times
	team        string              // follows the contest; not hidden
	drawn       int                 // number of submissions whose verdict is not in the record
	awards      map[string][]string // recorded team ids by award; nil if verdicts were drawn
}

// A played is a submission to replay.
type played struct {
	id, team, problem, language string
	at                          time.Duration
	verdict                     judge.Verdict
}

var rejections = []judge.Verdict{judge.WrongAnswer, judge.TimeLimit, judge.RunTimeError, judge.CompileError}

// draw returns a random contest.
func draw(teams, problems, submissions int) *recording {
	rec := &recording{
		contest:   store.Contest{Length: 5 * time.Hour, Freeze: 4 * time.Hour, FinalB: 2},
		groups:    []store.Group{{ID: "east", Name: "East"}, {ID: "west", Name: "West"}},
		languages: []client.OfferedLanguage{{ID: "sh", Name: "Shell", Extensions: []string{"sh"}}},
		team:      "t3",
	}
	for i := range teams {
		rec.teams = append(rec.teams, store.Team{ExtID: fmt.Sprint("t", i), Name: fmt.Sprintf("Team %03d", i), Hidden: i == 5,
			GroupIDs: []string{rec.groups[i%2].ID}})
	}
	for i := range problems {
		rec.problems = append(rec.problems, store.NewContestProblem{Label: string(rune('A' + i)), ExtID: fmt.Sprintf("p%02d", i)})
	}
	r := rand.New(rand.NewPCG(1, 2))
	solved := map[[2]int]bool{}
	at := make([]time.Duration, submissions)
	for i := range at {
		at[i] = time.Duration(r.Int64N(int64(rec.contest.Length / time.Millisecond)))
	}
	slices.Sort(at)
	for i := range at {
		team, problem := r.IntN(teams), r.IntN(problems)
		v := rejections[r.IntN(len(rejections))]
		if key := [2]int{team, problem}; r.IntN(teams+problems) > team/2+problem || solved[key] {
			v, solved[key] = judge.Accepted, true
		}
		rec.submissions = append(rec.submissions, played{fmt.Sprint("s", i+1), rec.teams[team].ExtID, rec.problems[problem].ExtID, "sh",
			at[i] * time.Millisecond, v})
	}
	return rec
}

// A recordedFeed contains the final state of a recorded event feed.
type recordedFeed struct {
	objects shadow.Mirror
	order   map[string][]string // ids by type, in the order of their first lines
}

// readFeed reads an event feed. It accepts feeds of 2023-06 and later, in which data is null for a deleted object,
// and earlier ones, in which a line has an operation and the id of the event.
func readFeed(data []byte) (*recordedFeed, error) {
	f := &recordedFeed{shadow.Mirror{}, map[string][]string{}}
	for number, line := range bytes.Split(data, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var e struct {
			Type, Op string
			ID       any
			Data     json.RawMessage
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
		if e.Type == "contests" {
			e.Type = "contest"
		}
		if f.objects[e.Type] == nil {
			f.objects[e.Type] = map[string]string{}
		}
		all := []json.RawMessage{e.Data}
		if bytes.HasPrefix(e.Data, []byte("[")) {
			if err := json.Unmarshal(e.Data, &all); err != nil {
				return nil, fmt.Errorf("line %d: %w", number+1, err)
			}
			clear(f.objects[e.Type])
		}
		for _, one := range all {
			var named struct{ ID any }
			if len(one) > 0 {
				if err := json.Unmarshal(one, &named); err != nil {
					return nil, fmt.Errorf("line %d: %w", number+1, err)
				}
			}
			id := fmt.Sprint(cmp.Or(named.ID, e.ID))
			if e.Type == "contest" || e.Type == "state" {
				id = ""
			}
			if e.Op == "delete" || len(one) == 0 || string(one) == "null" {
				delete(f.objects[e.Type], id)
				continue
			}
			if f.objects[e.Type][id] = string(one); !slices.Contains(f.order[e.Type], id) {
				f.order[e.Type] = append(f.order[e.Type], id)
			}
		}
	}
	return f, nil
}

// A recordedObject has the properties of objects of any type that a replay needs.
type recordedObject struct {
	id          string
	Name        string
	Label       string
	Ordinal     int
	Hidden      bool
	Groups      []string `json:"group_ids"`
	Extensions  []string
	Penalty     bool
	Team        string          `json:"team_id"`
	Teams       []string        `json:"team_ids"`
	Problem     string          `json:"problem_id"`
	Language    string          `json:"language_id"`
	ContestTime string          `json:"contest_time"`
	Duration    string          // of the contest
	Freeze      *string         `json:"scoreboard_freeze_duration"`
	PenaltyTime json.RawMessage `json:"penalty_time"`
	Main        string          `json:"main_scoreboard_group_id"`
}

// all returns the objects of a type, in the order of their first lines.
func (f *recordedFeed) all(typ string) (all []recordedObject, err error) {
	for _, id := range f.order[typ] {
		if data, is := f.objects[typ][id]; is {
			o := recordedObject{id: id}
			if err := json.Unmarshal([]byte(data), &o); err != nil {
				return nil, fmt.Errorf("%s %s: %w", typ, id, err)
			}
			all = append(all, o)
		}
	}
	return all, nil
}

// readRecording returns the contest of a recorded event feed. Submissions without a verdict get a random one.
// Submissions outside the contest's time, and those of deleted teams and problems, are left out.
func readRecording(data []byte) (rec *recording, err error) {
	f, err := readFeed(data)
	if err != nil {
		return nil, err
	}
	rec = &recording{}
	of := map[string][]recordedObject{}
	for _, typ := range []string{"contest", "judgement-types", "groups", "teams", "problems", "languages", "submissions", "awards"} {
		if of[typ], err = f.all(typ); err != nil {
			return nil, err
		}
	}
	if len(of["contest"]) == 0 || len(of["submissions"]) == 0 {
		return nil, fmt.Errorf("the feed has no contest or no submissions")
	}
	contest := of["contest"][0]
	c := &rec.contest
	if c.Length, err = clics.ParseRelTime(contest.Duration); err != nil {
		return nil, err
	}
	if contest.Freeze != nil {
		last, err := clics.ParseRelTime(*contest.Freeze)
		if err != nil {
			return nil, err
		}
		if last > 0 {
			c.Freeze = c.Length - last
		}
	}
	c.MainGroup, c.Settings.Penalty = contest.Main, minutes(string(contest.PenaltyTime))
	for _, o := range of["judgement-types"] {
		c.Settings.CompileErrors = c.Settings.CompileErrors || o.id == string(judge.CompileError) && o.Penalty
	}
	for _, o := range of["groups"] {
		rec.groups = append(rec.groups, store.Group{ID: o.id, Name: cmp.Or(o.Name, o.id)})
	}
	for _, o := range of["languages"] {
		rec.languages = append(rec.languages, client.OfferedLanguage{ID: o.id, Name: o.Name, Extensions: o.Extensions})
	}
	visible, known := map[string]bool{}, map[string]bool{}
	for _, o := range of["teams"] {
		visible[o.id] = !o.Hidden
		rec.teams = append(rec.teams, store.Team{ExtID: o.id, Name: cmp.Or(o.Name, o.id), Hidden: o.Hidden, GroupIDs: o.Groups})
	}
	slices.SortStableFunc(of["problems"], func(a, b recordedObject) int { return a.Ordinal - b.Ordinal })
	for _, o := range of["problems"] {
		known[o.id] = true
		rec.problems = append(rec.problems, store.NewContestProblem{Label: o.Label, ExtID: o.id})
	}
	verdicts, r := f.objects.Verdicts(), rand.New(rand.NewPCG(1, 2))
	for _, o := range of["submissions"] {
		s := played{o.id, o.Team, o.Problem, o.Language, 0, verdicts[o.id]}
		if s.at, err = clics.ParseRelTime(o.ContestTime); err != nil {
			return nil, fmt.Errorf("submission %s: %w", o.id, err)
		}
		if _, is := visible[s.team]; !is || !known[s.problem] || s.at < 0 || s.at >= c.Length {
			continue
		}
		if s.verdict == judge.NotJudged {
			rec.drawn++
			if s.verdict = judge.Accepted; r.IntN(2) == 0 {
				s.verdict = rejections[r.IntN(len(rejections))]
			}
		}
		if rec.team == "" && visible[s.team] {
			rec.team = s.team
		}
		rec.submissions = append(rec.submissions, s)
	}
	slices.SortStableFunc(rec.submissions, func(a, b played) int { return cmp.Compare(a.at, b.at) })
	if rec.drawn == 0 {
		rec.keepAwards(of["awards"])
	}
	return rec, nil
}

// keepAwards stores the recorded awards, and takes the numbers of medals from them.
func (rec *recording) keepAwards(awards []recordedObject) {
	rec.awards = map[string][]string{}
	medals := store.Medals{}
	for _, o := range awards {
		rec.awards[o.id] = o.Teams
		if n, is := map[string]*int{"gold-medal": &medals.Gold, "silver-medal": &medals.Silver, "bronze-medal": &medals.Bronze}[o.id]; is {
			*n, rec.contest.Settings.Medals = len(o.Teams), &medals
		}
	}
}

// oracle returns an oracle with the contest's numbers of medals.
func (rec *recording) oracle(b int) *oracle {
	gold, silver, bronze := rec.contest.Settings.MedalCounts()
	return &oracle{gold: gold, silver: silver, bronze: bronze, b: b}
}

// want returns the final scoreboard and awards. The oracle computes them from the recording instead of a feed.
func (rec *recording) want() (scoreboard, awards string) {
	o := rec.oracle(rec.contest.FinalB)
	o.clear()
	o.contest.Main, o.penalty = rec.contest.MainGroup, cmp.Or(rec.contest.Settings.Penalty, 20)
	for _, g := range rec.groups {
		o.groups[g.ID] = true
	}
	for _, t := range rec.teams {
		o.teams[t.ExtID] = oracleTeam{t.ExtID, t.Name, t.Hidden, t.GroupIDs}
	}
	for _, p := range rec.problems {
		o.problems[p.ExtID] = true
	}
	for _, s := range rec.submissions {
		v := string(s.verdict)
		o.types[v] = oracleType{v != "AC" && (v != "CE" || rec.contest.Settings.CompileErrors), v == "AC"}
		o.submissions = append(o.submissions, &oracleSubmission{ID: s.id, Team: s.team, Problem: s.problem,
			Time: clics.FormatTime(start.Add(s.at)), ContestTime: clics.FormatRelTime(s.at), verdict: v})
	}
	return o.compute()
}

// checkFinal compares the final scoreboard and awards with those of the recording.
func (rec *recording) checkFinal(t testing.TB, board, awards string) {
	for i, row := range slices.Collect(strings.Lines(board)) {
		if head, _, _ := strings.Cut(row, " ["); i < 3 {
			t.Logf("rank, team, solved problems, penalty time and last minute: %s", head)
		}
	}
	if b, a := rec.want(); board != b || awards != a {
		t.Errorf("the final scoreboard and awards are\n%s%s\nwant those of the recording:\n%s%s", board, awards, b, a)
	}
	for line := range strings.Lines(awards) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		got := strings.Fields(strings.Trim(rest, "[]"))
		if want, is := rec.awards[id]; is && !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("the award %s is for %v, in the recording for %v", id, got, want)
		}
	}
}

// recordedOrDrawn returns the contest of the feed that recordedEnv names, or a random contest.
func recordedOrDrawn(t *testing.T, teams, problems, submissions int) *recording {
	file := os.Getenv(recordedEnv)
	if file == "" {
		return draw(teams, problems, submissions)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := readRecording(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return rec
}

// TestReadRecording checks that a recorded event feed is read in each of its forms.
func TestReadRecording(t *testing.T) {
	lines := []struct{ typ, id, data string }{
		{"contest", "c", `{"id":"c","duration":"4:00:00"}`},
		{"contest", "c", `{"id":"c","duration":"5:00:00","scoreboard_freeze_duration":"1:00:00.000","penalty_time":10}`},
		{"state", "", `{"started":"2026-11-28T10:00:00Z"}`},
		{"judgement-types", "CE", `{"id":"CE","penalty":true,"solved":false}`},
		{"groups", "g", `{"id":"g","name":"G"}`},
		{"teams", "3", `{"id":"3","name":"Three"}`},
		{"teams", "2", `{"id":"2","name":"Two","hidden":true}`},
		{"teams", "3", ""}, // deleted
		{"teams", "1", `{"id":"1","name":"One","group_ids":["g"]}`},
		{"problems", "b", `{"id":"b","label":"B","ordinal":1}`},
		{"problems", "a", `{"id":"a","label":"A","ordinal":0}`},
		{"languages", "c", `{"id":"c","name":"C","extensions":["c"]}`},
		{"submissions", "s0", `{"id":"s0","team_id":"1","problem_id":"a","language_id":"c","contest_time":"-0:00:01"}`},
		{"submissions", "s5", `{"id":"s5","team_id":"1","problem_id":"a","language_id":"c","contest_time":"5:00:00"}`},
		{"submissions", "s4", `{"id":"s4","team_id":"3","problem_id":"a","language_id":"c","contest_time":"1:00:00"}`},
		{"submissions", "s3", `{"id":"s3","team_id":"1","problem_id":"x","language_id":"c","contest_time":"1:00:00"}`},
		{"submissions", "s2", `{"id":"s2","team_id":"1","problem_id":"b","language_id":"c","contest_time":"4:59:59.999"}`},
		{"submissions", "s1", `{"id":"s1","team_id":"2","problem_id":"a","language_id":"c","contest_time":"0:00:01"}`},
		{"judgements", "j1", `{"id":"j1","submission_id":"s1","start_time":"2026-11-28T10:00:02Z"}`},
		{"judgements", "j1", `{"id":"j1","submission_id":"s1","judgement_type_id":"CE","start_time":"2026-11-28T10:00:02Z"}`},
		{"judgements", "j2", `{"id":"j2","submission_id":"s2","judgement_type_id":"AC","start_time":"2026-11-28T15:00:02Z"}`},
		{"awards", "gold-medal", `{"id":"gold-medal","team_ids":["1"]}`},
	}
	asJSON := func(all ...any) string {
		text, _ := json.Marshal(all) // cannot fail: these types are stored as JSON
		return string(text)
	}
	var older, newer, whole strings.Builder
	latest := map[string]map[string]string{}
	var types []string
	for i, l := range lines {
		typ, op, data, id := l.typ, "create", l.data, fmt.Sprintf("%q", l.id)
		if typ == "contest" {
			typ = "contests"
		}
		if data == "" {
			op, data = "delete", fmt.Sprintf(`{"id":%q}`, l.id)
		}
		fmt.Fprintf(&older, `{"id":"e%d","type":%q,"op":%q,"data":%s}`+"\n", i, typ, op, data)
		if l.id == "" || l.typ == "contest" {
			id = "null"
		}
		fmt.Fprintf(&newer, `{"type":%q,"id":%s,"data":%s,"token":"%d"}`+"\n\n", l.typ, id, cmp.Or(l.data, "null"), i)
		if latest[l.typ] == nil {
			latest[l.typ], types = map[string]string{}, append(types, l.typ)
		}
		if latest[l.typ][l.id] = l.data; l.data == "" {
			delete(latest[l.typ], l.id)
		}
	}
	for _, typ := range types {
		all := strings.Join(slices.Sorted(maps.Values(latest[typ])), ",")
		if typ != "contest" && typ != "state" {
			fmt.Fprintf(&whole, `{"type":%q,"id":null,"data":[{"id":"3"}],"token":"x"}`+"\n", typ)
			all = "[" + all + "]"
		}
		fmt.Fprintf(&whole, `{"type":%q,"id":null,"data":%s,"token":"x"}`+"\n", typ, all)
	}
	for form, text := range map[string]string{"events": older.String(), "notifications": newer.String(), "collections": whole.String()} {
		for _, verdict := range []judge.Verdict{judge.Accepted, judge.JudgeError} {
			rec, err := readRecording([]byte(strings.ReplaceAll(text, `"AC"`, fmt.Sprintf("%q", verdict))))
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			if len(rec.submissions) != 2 {
				t.Fatalf("%s: the submissions are %v", form, rec.submissions)
			}
			drawn, medals, second := 0, &store.Medals{Gold: 1}, rec.submissions[1]
			if verdict == judge.JudgeError {
				drawn, medals = 1, nil
			}
			c := &rec.contest
			got := asJSON(c.Length, c.Freeze, c.Settings, rec.team, rec.drawn, len(rec.teams), rec.groups, rec.problems, rec.languages)
			want := asJSON(5*time.Hour, 4*time.Hour, store.Settings{Penalty: 10, CompileErrors: true, Medals: medals}, "1", drawn, 2,
				[]store.Group{{ID: "g", Name: "G"}}, []store.NewContestProblem{{Label: "A", ExtID: "a"}, {Label: "B", ExtID: "b"}},
				[]client.OfferedLanguage{{ID: "c", Name: "C", Extensions: []string{"c"}}})
			if got != want {
				t.Errorf("%s: the contest is\n%s\nwant\n%s", form, got, want)
			}
			if drawn == 0 && second.verdict != judge.Accepted || second.verdict == judge.NotJudged || second.verdict == judge.JudgeError {
				t.Errorf("%s: the second verdict is %q", form, second.verdict)
			}
			submissions := []played{
				{"s1", "2", "a", "c", time.Second, judge.CompileError}, {"s2", "1", "b", "c", 5*time.Hour - time.Millisecond, second.verdict},
			}
			if !slices.Equal(rec.submissions, submissions) {
				t.Errorf("%s: the submissions are %v, want %v", form, rec.submissions, submissions)
			}
		}
	}
}
