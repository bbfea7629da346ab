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
	"assay/judge/host/intake"
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
func (o object) texts(key string) (texts []string) {
	var list []json.RawMessage
	if json.Unmarshal(o[key], &list) == nil {
		for _, one := range list {
			if text := plainText(one); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return texts
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
	slices.SortFunc(all, compareIDs)
	return all
}

func (m Mirror) object(typ, id string) object { return parseObject(m[typ][id]) }

// UpdateContest sets the fields of c that the primary defines. Other fields do not change. The argument finalized
// reports whether c may be marked as final.
func (m Mirror) UpdateContest(c *store.Contest, finalized bool) {
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
	if minutes, is := parsePenalty(o.text("penalty_time")); is && minutes > 0 && minutes <= 1000 {
		if c.Settings.Penalty = minutes; minutes == defaultPenalty {
			c.Settings.Penalty = 0
		}
	}
	c.Settings.CompileErrors = m.compileErrors()
	if _, there := m["groups"][o.text("main_scoreboard_group_id")]; there {
		c.MainGroup = o.text("main_scoreboard_group_id")
	}
}

// defaultPenalty is the ICPC's penalty time in minutes.
const defaultPenalty = 20

// parsePenalty parses a penalty time, which is a number of minutes or a RELTIME. It returns minutes.
func parsePenalty(text string) (minutes int, ok bool) {
	if d, err := clics.ParseRelTime(text); err == nil {
		minutes = int(d / time.Minute)
	} else if _, err := fmt.Sscanf(text, "%d", &minutes); err != nil {
		return 0, false
	}
	return minutes, true
}

// updateContest updates the contest from the primary. If problems is not nil, it also updates the contest's problems.
// The argument finalized reports whether the results may be marked as final.
func (f *follower) updateContest(ctx context.Context, problems []store.NewContestProblem, finalized bool) error {
	c, err := f.Store.Contest(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	was := *c
	f.mirror.UpdateContest(c, finalized && !f.source.UseOwnVerdicts) // administrators finalize results if this server's verdicts count
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
	f.needsUpdate = true // retry later, because the contest was changed in the meantime
	return nil
}

// computedAwards matches the ids of the awards that this server computes. Other awards are copied from the primary.
var computedAwards = regexp.MustCompile(`^(winner|(gold|silver|bronze)-medal|first-to-solve-.*|group-winner-.*)$`)

// awards returns the awards of the primary that this server does not compute.
func (m Mirror) awards() (awards []store.CustomAward) {
	for _, id := range m.ids("awards") {
		if o := m.object("awards", id); !computedAwards.MatchString(id) {
			awards = append(awards, store.CustomAward{ID: id, Citation: cmp.Or(o.text("citation"), id), Teams: o.texts("team_ids")})
		}
	}
	return awards
}

// packageProperties lists the properties in a contest package for each type.
var packageProperties = map[string][]string{
	"groups":        {"id", "icpc_id", "name", "type"},
	"organizations": {"id", "icpc_id", "name", "formal_name", "country", "country_subdivision", "url"},
	"teams":         {"id", "icpc_id", "name", "label", "display_name", "organization_id", "group_ids", "hidden"},
}

// importObjects imports groups, organizations and teams. It skips invalid objects and records their errors.
func (f *follower) importObjects(ctx context.Context) error {
	c, err := f.Store.Contest(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	out := map[string]map[string]string{} // errors by type and id
	for typ := range packageProperties {
		out[typ] = map[string]string{}
	}
	for range 1 + len(f.mirror["groups"]) + len(f.mirror["organizations"]) + len(f.mirror["teams"]) {
		files, listed := f.packageFiles(out)
		var plan *contestpackage.Plan
		p, err := contestpackage.Read(files)
		if err == nil {
			var now *contestpackage.CurrentState
			if now, err = intake.CurrentContest(ctx, f.Store, c); err != nil {
				return err
			}
			open := *c
			open.Finalized = time.Time{} // the primary decides how long the contest can change
			now.Now, now.Contest = time.Now(), &open
			plan, err = contestpackage.PlanImport(ctx, p, c.Slug, now)
		}
		faults, wrong := errors.AsType[judge.ProblemErrors](err)
		switch {
		case err == nil:
			if !plan.Empty() {
				plan.Import.ID = c.ID
				_, _, err = f.Store.ImportContest(ctx, &plan.Import)
			}
			return errors.Join(err, f.recordErrors(ctx, out))
		case !wrong:
			return err
		}
		found := false
		for _, fault := range faults {
			typ := strings.TrimSuffix(fault.File, ".json")
			if index := fault.Line - 2; index >= 0 && index < len(listed[typ]) {
				out[typ][listed[typ][index]], found = fault.Text, true
			}
		}
		if !found {
			return fmt.Errorf("take over the teams of the primary: %w", faults)
		}
	}
	return f.recordErrors(ctx, out)
}

// recordErrors records the errors in out, which maps types and ids of objects to errors. For these types, it clears the
// errors of all other objects.
func (f *follower) recordErrors(ctx context.Context, out map[string]map[string]string) error {
	for typ, wrong := range out {
		for id := range f.mirror[typ] {
			if err := f.recordError(ctx, typ, id, wrong[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// packageFiles returns the files of a contest package with the primary's objects, one object per line, and the ids of
// these objects by type. It omits the objects in out, which have errors.
func (f *follower) packageFiles(out map[string]map[string]string) (files map[string][]byte, listed map[string][]string) {
	files, listed = map[string][]byte{}, map[string][]string{}
	there := func(typ, id string) bool { return f.mirror[typ][id] != "" && out[typ][id] == "" }
	for typ, names := range packageProperties {
		if len(f.mirror[typ]) == 0 {
			continue
		}
		var lines []string
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
				f.addTeamProperties(o, plain, there)
			} else if plain["name"] == nil {
				plain["name"] = cmp.Or(o.text("formal_name"), id)
			}
			data, err := json.Marshal(plain)
			if err != nil {
				continue // does not happen, because strings can always be encoded
			}
			lines, listed[typ] = append(lines, string(data)), append(listed[typ], id)
		}
		files[typ+".json"] = []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n")
	}
	return files, listed
}

// addTeamProperties adds to plain the properties of the team o that need conversion. It omits references to objects that
// there does not find.
func (f *follower) addTeamProperties(o object, plain map[string]any, exists func(typ, id string) bool) {
	if plain["name"] == nil {
		plain["name"] = cmp.Or(o.text("display_name"), o.text("id"))
	}
	if id := o.text("organization_id"); !exists("organizations", id) {
		delete(plain, "organization_id")
	}
	groups, hidden := []string{}, o.flag("hidden")
	for _, id := range o.texts("group_ids") {
		if exists("groups", id) && !slices.Contains(groups, id) {
			groups = append(groups, id)
		}
		hidden = hidden || f.mirror.object("groups", id).flag("hidden")
	}
	plain["group_ids"], plain["hidden"] = groups, hidden
}

var (
	hexColor         = regexp.MustCompile(`^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`)
	invalidSlugChars = regexp.MustCompile(`[^a-z0-9]+`)
)

// importProblems imports the problems. A problem without a package on this server becomes a placeholder.
func (f *follower) importProblems(ctx context.Context) error {
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
	var problems []store.NewContestProblem
	for i, id := range ids {
		o := f.mirror.object("problems", id)
		label := o.text("label")
		if label == "" && i < 26 {
			label = string(rune('A' + i))
		}
		taken := func(n store.NewContestProblem) bool { return n.Label == label }
		reason := ""
		switch {
		case label == "" || len(label) > 8:
			reason = fmt.Sprintf("its label is %.20q; it must have 1 to 8 characters", label)
		case !store.IsExtID(id):
			reason = "its id is not one of the Contest API"
		case slices.ContainsFunc(problems, taken):
			reason = fmt.Sprintf("another problem has the label %s, too", label)
		}
		if err := f.recordError(ctx, "problems", id, reason); err != nil {
			return err
		}
		if reason != "" {
			continue
		}
		n := store.NewContestProblem{Label: label, ExtID: id, ColorName: o.text("color")}
		if rgb := o.text("rgb"); hexColor.MatchString(rgb) {
			n.Color = rgb
		}
		if n.Slug, n.Points, err = f.problemFor(ctx, c, id, label, o.text("name"), was, published, problems); err != nil {
			return err
		}
		problems = append(problems, n)
	}
	if len(problems) == 0 {
		return nil
	}
	for _, p := range was { // keep problems that the primary does not have
		has := func(n store.NewContestProblem) bool { return n.Slug == p.Slug || n.Label == p.Label }
		if !slices.ContainsFunc(problems, has) {
			problems = append(problems, store.NewContestProblem{
				Label: p.Label, Slug: p.Slug, Points: p.Points, Color: p.Color, ExtID: p.ExtID, ColorName: p.ColorName,
			})
		}
	}
	return f.updateContest(ctx, problems, false)
}

// problemFor returns this server's problem for a problem of the primary. It prefers a problem in was, the
// contest's current problems, with the same id or label. Otherwise it chooses the published problem with the same
// name, or else creates a placeholder.
func (f *follower) problemFor(ctx context.Context, c *store.Contest, id, label, title string, existing []*store.ContestProblem,
	published []*store.Problem, all []store.NewContestProblem) (slug string, points int64, err error) {
	free := func(slug string) bool {
		return !slices.ContainsFunc(all, func(n store.NewContestProblem) bool { return n.Slug == slug })
	}
	own := invalidSlugChars.ReplaceAllString(strings.ToLower(c.Slug+"-"+label), "-")
	own = strings.Trim(own[max(0, len(own)-40):], "-")
	for _, is := range []func(p *store.ContestProblem) bool{
		func(p *store.ContestProblem) bool { return p.ExtID == id },
		func(p *store.ContestProblem) bool { return p.Label == label && f.mirror["problems"][p.ExtID] == "" },
	} {
		if index := slices.IndexFunc(existing, is); index >= 0 && free(existing[index].Slug) {
			slug, points = existing[index].Slug, existing[index].Points
			if existing[index].Bundle != "" {
				return slug, points, nil
			}
			break
		}
	}
	if slug == "" {
		named := func(p *store.Problem) bool { return p.Slug == strings.ToLower(id) && p.Bundle != "" }
		if index := slices.IndexFunc(published, named); index >= 0 && free(published[index].Slug) {
			return published[index].Slug, 0, nil
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
