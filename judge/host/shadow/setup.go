package shadow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/contestpackage"
	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// An object is an object from a primary. Its values are decoded on demand.
type object map[string]json.RawMessage

func parseObject(data string) object {
	var o object
	if json.Unmarshal([]byte(data), &o) != nil {
		return object{}
	}
	return o
}

// text returns a property that is a string or number. It returns an empty string if there is none.
func (o object) text(key string) string { return plainText(o[key]) }

// flag reports whether a property is true.
func (o object) flag(key string) bool { return string(o[key]) == "true" }

// texts returns a property that is a list of strings.
func (o object) texts(key string) (all []string) {
	var list []json.RawMessage
	if json.Unmarshal(o[key], &list) == nil {
		for _, one := range list {
			if text := plainText(one); text != "" {
				all = append(all, text)
			}
		}
	}
	return all
}

func (o object) time(key string) time.Time {
	at, err := clics.ParseTime(o.text(key))
	if err != nil {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Microsecond)
}

// duration returns a property that is a RELTIME.
func (o object) duration(key string) (time.Duration, bool) {
	d, err := clics.ParseRelTime(o.text(key))
	return d, err == nil
}

// ids returns the ids of the objects of a type, in order.
func (m Mirror) ids(typ string) []string {
	all := make([]string, 0, len(m[typ]))
	for id := range m[typ] {
		all = append(all, id)
	}
	slices.SortFunc(all, naturally)
	return all
}

func (m Mirror) object(typ, id string) object { return parseObject(m[typ][id]) }

// ContestOf sets the fields of c that the primary defines. Other fields do not change. The argument finalized
// reports whether c may be marked as final.
func (m Mirror) ContestOf(c *store.Contest, finalized bool) {
	o, state := m.object("contest", ""), m.object("state", "")
	if name := cmp.Or(o.text("name"), o.text("formal_name")); name != "" {
		c.Name = name
	}
	c.FormalName = cmp.Or(o.text("formal_name"), c.FormalName)
	if _, there := m["contest"][""]; !there {
		return
	}
	if c.Starts = o.time("start_time"); c.Starts.IsZero() {
		c.Starts = state.time("started")
	}
	c.Settings.Paused = 0
	if paused, is := o.duration("countdown_pause_time"); is && c.Starts.IsZero() && paused > 0 {
		c.Settings.Paused = paused
	}
	if d, is := o.duration("duration"); is && d > 0 {
		c.Length = d
	}
	c.Freeze, c.Settings.Planned = 0, 0
	if d, is := o.duration("scoreboard_freeze_duration"); is && d > 0 {
		c.Freeze = max(c.Length-d, time.Microsecond) // 0 means no freeze
	}
	if c.Thaw = state.time("thawed"); c.Thaw.IsZero() {
		c.Thaw = o.time("scoreboard_thaw_time")
	}
	if finalized {
		c.Finalized = state.time("finalized")
	}
	if minutes, is := penalty(o.text("penalty_time")); is && minutes > 0 && minutes <= 1000 {
		if c.Settings.Penalty = minutes; minutes == usualPenalty {
			c.Settings.Penalty = 0
		}
	}
	c.Settings.CompileErrors = m.compileErrors()
	if _, there := m["groups"][o.text("main_scoreboard_group_id")]; there {
		c.MainGroup = o.text("main_scoreboard_group_id")
	}
}

// usualPenalty is the ICPC's penalty time in minutes.
const usualPenalty = 20

// penalty parses a penalty time, which is a number of minutes or a RELTIME. It returns minutes.
func penalty(text string) (minutes int, ok bool) {
	if d, err := clics.ParseRelTime(text); err == nil {
		minutes = int(d / time.Minute)
	} else if _, err := fmt.Sscanf(text, "%d", &minutes); err != nil {
		return 0, false
	}
	return minutes, true
}

// contest updates the contest from the primary. If problems is not nil, it also updates the contest's problems.
// The argument finalized reports whether the results may be marked as final.
func (f *follower) contest(ctx context.Context, problems []store.NewContestProblem, finalized bool) error {
	c, err := f.Store.Contest(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	was := *c
	f.mirror.ContestOf(c, finalized && !f.source.Ours) // administrators finalize results if this server's verdicts count
	if finalized {
		c.Settings.Awards = f.mirror.awards()
	}
	before, err1 := json.Marshal(was)
	after, err2 := json.Marshal(*c)
	if err := errors.Join(err1, err2); err != nil || problems == nil && string(before) == string(after) {
		return err
	}
	if err := f.Store.SetContest(ctx, c, problems); !errors.Is(err, store.ErrChanged) {
		return err
	}
	f.again = true // retry later, because the contest was changed in the meantime
	return nil
}

// computed matches the ids of the awards that this server computes. Other awards are copied from the primary.
var computed = regexp.MustCompile(`^(winner|(gold|silver|bronze)-medal|first-to-solve-.*|group-winner-.*)$`)

// awards returns the awards of the primary that this server does not compute.
func (m Mirror) awards() (all []store.OwnAward) {
	for _, id := range m.ids("awards") {
		if o := m.object("awards", id); !computed.MatchString(id) {
			all = append(all, store.OwnAward{ID: id, Citation: cmp.Or(o.text("citation"), id), Teams: o.texts("team_ids")})
		}
	}
	return all
}

// properties lists the properties in a contest package for each type.
var properties = map[string][]string{
	"groups":        {"id", "icpc_id", "name", "type"},
	"organizations": {"id", "icpc_id", "name", "formal_name", "country", "country_subdivision", "url"},
	"teams":         {"id", "icpc_id", "name", "label", "display_name", "organization_id", "group_ids", "hidden"},
}

// imported imports groups, organizations and teams. It skips invalid objects and records their errors.
func (f *follower) imported(ctx context.Context) error {
	c, err := f.Store.Contest(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	out := map[string]map[string]string{} // errors by type and id
	for typ := range properties {
		out[typ] = map[string]string{}
	}
	for range 1 + len(f.mirror["groups"]) + len(f.mirror["organizations"]) + len(f.mirror["teams"]) {
		files, listed := f.files(out)
		var plan *contestpackage.Plan
		p, err := contestpackage.Read(files)
		if err == nil {
			var now *contestpackage.Current
			if now, err = desk.CurrentContest(ctx, f.Store, c); err != nil {
				return err
			}
			open := *c
			open.Finalized = time.Time{} // the primary decides how long the contest can change
			now.Now, now.Contest = time.Now(), &open
			plan, err = contestpackage.PlanImport(ctx, p, c.Slug, now)
		}
		faults, wrong := errors.AsType[judge.Faults](err)
		switch {
		case err == nil:
			if !plan.Empty() {
				plan.Import.ID = c.ID
				_, _, err = f.Store.ImportContest(ctx, &plan.Import)
			}
			return errors.Join(err, f.noteAll(ctx, out))
		case !wrong:
			return err
		}
		found := false
		for _, fault := range faults {
			typ := strings.TrimSuffix(fault.File, ".json")
			if at := fault.Line - 2; at >= 0 && at < len(listed[typ]) {
				out[typ][listed[typ][at]], found = fault.Text, true
			}
		}
		if !found {
			return fmt.Errorf("take over the teams of the primary: %w", faults)
		}
	}
	return f.noteAll(ctx, out)
}

// noteAll records the errors in out, which maps types and ids of objects to errors. For these types, it clears the
// errors of all other objects.
func (f *follower) noteAll(ctx context.Context, out map[string]map[string]string) error {
	for typ, wrong := range out {
		for id := range f.mirror[typ] {
			if err := f.note(ctx, typ, id, wrong[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// files returns the files of a contest package with the primary's objects, one object per line, and the ids of
// these objects by type. It omits the objects in out, which have errors.
func (f *follower) files(out map[string]map[string]string) (files map[string][]byte, listed map[string][]string) {
	files, listed = map[string][]byte{}, map[string][]string{}
	there := func(typ, id string) bool { return f.mirror[typ][id] != "" && out[typ][id] == "" }
	for typ, names := range properties {
		if len(f.mirror[typ]) == 0 {
			continue
		}
		var all []string
		for _, id := range f.mirror.ids(typ) {
			if out[typ][id] != "" {
				continue
			}
			o, plain := f.mirror.object(typ, id), map[string]any{}
			for _, name := range names {
				if text := o.text(name); text != "" {
					plain[name] = text
				}
			}
			plain["id"] = id
			if typ == "teams" {
				f.teamOf(o, plain, there)
			} else if plain["name"] == nil {
				plain["name"] = cmp.Or(o.text("formal_name"), id)
			}
			data, err := json.Marshal(plain)
			if err != nil {
				continue // does not happen, because strings can always be encoded
			}
			all, listed[typ] = append(all, string(data)), append(listed[typ], id)
		}
		files[typ+".json"] = []byte("[\n" + strings.Join(all, ",\n") + "\n]\n")
	}
	return files, listed
}

// teamOf adds to plain the properties of the team o that need conversion. It omits references to objects that
// there does not find.
func (f *follower) teamOf(o object, plain map[string]any, there func(typ, id string) bool) {
	if plain["name"] == nil {
		plain["name"] = cmp.Or(o.text("display_name"), o.text("id"))
	}
	if id := o.text("organization_id"); !there("organizations", id) {
		delete(plain, "organization_id")
	}
	groups, hidden := []string{}, o.flag("hidden")
	for _, id := range o.texts("group_ids") {
		if there("groups", id) && !slices.Contains(groups, id) {
			groups = append(groups, id)
		}
		hidden = hidden || f.mirror.object("groups", id).flag("hidden")
	}
	plain["group_ids"], plain["hidden"] = groups, hidden
}

var (
	hexColor = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)
	notSlug  = regexp.MustCompile(`[^a-z0-9]+`)
)

// problems imports the problems. A problem without a package on this server becomes a placeholder.
func (f *follower) problems(ctx context.Context) error {
	c, err := f.Store.Contest(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	was, err1 := f.Store.ContestProblems(ctx, c.ID)
	published, err2 := f.Store.Problems(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	ids := f.mirror.ids("problems")
	ordinal := func(id string) int {
		n := 0
		_, _ = fmt.Sscanf(f.mirror.object("problems", id).text("ordinal"), "%d", &n) // without an ordinal, the problem comes first
		return n
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(ordinal(a), ordinal(b)) })
	var all []store.NewContestProblem
	for i, id := range ids {
		o := f.mirror.object("problems", id)
		label := o.text("label")
		if label == "" && i < 26 {
			label = string(rune('A' + i))
		}
		taken := func(n store.NewContestProblem) bool { return n.Label == label }
		wrong := ""
		switch {
		case label == "" || len(label) > 8:
			wrong = fmt.Sprintf("its label is %.20q; it must have 1 to 8 characters", label)
		case !store.GoodExtID(id):
			wrong = "its id is not one of the Contest API"
		case slices.ContainsFunc(all, taken):
			wrong = fmt.Sprintf("another problem has the label %s, too", label)
		}
		if err := f.note(ctx, "problems", id, wrong); err != nil {
			return err
		}
		if wrong != "" {
			continue
		}
		n := store.NewContestProblem{Label: label, ExtID: id, ColorName: o.text("color")}
		if rgb := o.text("rgb"); hexColor.MatchString(rgb) {
			n.Color = rgb
		}
		if n.Slug, n.Points, err = f.problemFor(ctx, c, id, label, o.text("name"), was, published, all); err != nil {
			return err
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		return nil
	}
	for _, p := range was { // keep problems that the primary does not have
		has := func(n store.NewContestProblem) bool { return n.Slug == p.Slug || n.Label == p.Label }
		if !slices.ContainsFunc(all, has) {
			all = append(all, store.NewContestProblem{
				Label: p.Label, Slug: p.Slug, Points: p.Points, Color: p.Color, ExtID: p.ExtID, ColorName: p.ColorName,
			})
		}
	}
	return f.contest(ctx, all, false)
}

// problemFor returns this server's problem for a problem of the primary. It prefers a problem in was, the
// contest's current problems, with the same id or label. Otherwise it chooses the published problem with the same
// name, or else creates a placeholder.
func (f *follower) problemFor(ctx context.Context, c *store.Contest, id, label, title string, was []*store.ContestProblem,
	published []*store.Problem, all []store.NewContestProblem) (slug string, points int64, err error) {
	free := func(slug string) bool {
		return !slices.ContainsFunc(all, func(n store.NewContestProblem) bool { return n.Slug == slug })
	}
	own := notSlug.ReplaceAllString(strings.ToLower(c.Slug+"-"+label), "-")
	own = strings.Trim(own[max(0, len(own)-40):], "-")
	for _, is := range []func(p *store.ContestProblem) bool{
		func(p *store.ContestProblem) bool { return p.ExtID == id },
		func(p *store.ContestProblem) bool { return p.Label == label && f.mirror["problems"][p.ExtID] == "" },
	} {
		if at := slices.IndexFunc(was, is); at >= 0 && free(was[at].Slug) {
			slug, points = was[at].Slug, was[at].Points
			if was[at].Bundle != "" {
				return slug, points, nil
			}
			break
		}
	}
	if slug == "" {
		named := func(p *store.Problem) bool { return p.Slug == strings.ToLower(id) && p.Bundle != "" }
		if at := slices.IndexFunc(published, named); at >= 0 && free(published[at].Slug) {
			return published[at].Slug, 0, nil
		}
		slug = own
	}
	for n := 2; ; n++ {
		if free(slug) {
			err = f.Store.NewPlaceholder(ctx, slug, cmp.Or(title, id), f.source.Account)
			if !errors.Is(err, store.ErrTaken) {
				return slug, points, err
			}
		}
		if n > 100 {
			return "", 0, fmt.Errorf("make a problem for %s of the primary: %w", id, store.ErrTaken)
		}
		slug = fmt.Sprintf("%s-%d", own[:min(len(own), 36)], n)
	}
}
