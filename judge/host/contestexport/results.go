package contestexport

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/intake"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// juryReader is the reader of the results: a judge, who sees everything except passwords.
var juryReader = feed.Reader{Version: clics.V2026, Role: clics.Judge}

// writeResults writes the scoreboard, the awards and the event feed of the Contest API in the jury's view, and
// results.tsv.
func writeResults(ctx context.Context, d *intake.Service, c *store.Contest, z *zip.Writer) error {
	registry := &feed.Registry{Intake: d}
	now, err := registry.Contest(ctx, c.ID)
	if err != nil {
		return err
	}
	lines, err := now.List(juryReader, clics.Awards)
	if err != nil {
		return err
	}
	awards := make([]json.RawMessage, len(lines))
	for i, l := range lines {
		awards[i] = l.Data
	}
	list, err := json.Marshal(awards)
	if err != nil {
		return fmt.Errorf("write the awards: %w", err)
	}
	table, _ := now.Scoreboard(juryReader, "")
	scores, err := clics.Encode(clics.Reader{Version: juryReader.Version, Role: juryReader.Role}, clics.Scoreboard, table)
	if err != nil {
		return err
	}
	events, err := eventFeed(ctx, now)
	if err != nil {
		return err
	}
	results, err := resultsTable(ctx, d, now, c, lines)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"awards.json", list}, {"event-feed.ndjson", events}, {"results.tsv", results}, {"scoreboard.json", scores}} {
		if err := put(z, f.name, f.data, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// eventFeed returns the event feed that a client would receive now.
func eventFeed(ctx context.Context, contest *feed.Contest) ([]byte, error) {
	cursor, err := contest.NewCursor(ctx, juryReader, "", nil)
	if err != nil {
		return nil, err
	}
	batch, err := cursor.Next()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for i, l := range batch.Lines {
		token := batch.Partial
		if i == len(batch.Lines)-1 {
			token = batch.Token
		}
		l.Write(&out, token)
	}
	return out.Bytes(), nil
}

// medalNames maps award ids to their names in results.tsv.
var medalNames = map[string]string{"gold-medal": "Gold Medal", "silver-medal": "Silver Medal", "bronze-medal": "Bronze Medal"}

// resultsTable returns results.tsv. For each team of the main scoreboard it contains the ICPC id, rank, award,
// number of solved problems, penalty time, time of the last accepted submission, and the groups that the team won.
// An unranked team, such as one without a solved problem, has an honorable mention and no rank. Before the start,
// no team has a rank or an honorable mention.
func resultsTable(ctx context.Context, d *intake.Service, contest *feed.Contest, c *store.Contest, awards []feed.Line) ([]byte, error) {
	all, err := d.Store.Teams(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	groups, err := d.Store.Groups(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	medal, won := map[string]string{}, map[string][]string{} // by team id in the Contest API
	for _, a := range awards {
		teams, _ := a.Object["team_ids"].([]string)
		for _, team := range teams {
			if name := medalNames[a.ID]; name != "" {
				medal[team] = name
			}
			for _, g := range groups {
				if a.ID == "group-winner-"+g.ID {
					won[team] = append(won[team], g.Name)
				}
			}
		}
	}
	var out bytes.Buffer
	out.WriteString("File_Version\t1\n")
	started := !c.Starts.IsZero() && !d.Time().Before(c.Starts)
	places, ranks := contest.FinalRanks()
	for i, p := range places {
		index := slices.IndexFunc(all, func(t *store.Team) bool { return t.ID == p.Team.ID })
		if index < 0 {
			continue // the team was removed in the meantime
		}
		rank, award := "", medal[all[index].ExtID]
		if ranks[i] > 0 {
			rank = strconv.Itoa(ranks[i])
		}
		switch {
		case award != "" || !started:
		case ranks[i] > 0:
			award = "Ranked"
		default:
			award = "Honorable"
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\t%d\t%d\t%d\t%s\n", all[index].ICPCID, rank, award, p.Solved, p.Time/time.Minute, p.Last/time.Minute,
			strings.Join(won[all[index].ExtID], ", "))
	}
	return out.Bytes(), nil
}

// hasScoreboard reports whether a contest has a scoreboard.
func hasScoreboard(c *store.Contest) bool {
	return slices.Contains(scoring.Kinds, scoring.Kind(c.Format))
}
