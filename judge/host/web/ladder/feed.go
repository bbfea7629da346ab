package ladder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"assay/judge/contests/arena"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// ladderFeed sends rank changes as a feed.
func (s *site) ladderFeed(w http.ResponseWriter, r *web.Request) error {
	climbs, err := s.Store.RankChanges(r.Context(), requestOf(r).ID, web.MaxFeedItems)
	if err != nil {
		return err
	}
	home := "/ladder/" + requestOf(r).Slug
	var items []web.FeedItem
	for _, c := range climbs {
		b := requestOf(r).Bot(c.Bot)
		if b == nil {
			continue
		}
		title := fmt.Sprintf("%s is number %d", b.Name, c.Rank)
		switch {
		case c.OldRank > c.Rank:
			title = fmt.Sprintf("%s rose from %d to %d", b.Name, c.OldRank, c.Rank)
		case c.OldRank > 0:
			title = fmt.Sprintf("%s fell from %d to %d", b.Name, c.OldRank, c.Rank)
		}
		items = append(items, web.FeedItem{
			ID: fmt.Sprintf("%s/climb/%d", home, c.Seq), Title: title, URL: fmt.Sprintf("%s/bot/%d", home, c.Bot), At: c.At,
		})
	}
	return web.WriteFeed(w, s.URL, requestOf(r).Name, home, r.URL.Path, items)
}

// ladderGames sends the games from which the table is computed, in the format of a tournament log. `judge arena
// standings` computes the same table from this log. If the query contains all=yes, ladderGames sends every game of
// every bot.
func (s *site) ladderGames(w http.ResponseWriter, r *web.Request) error {
	var log bytes.Buffer
	all := r.URL.Query().Get("all") == "yes"
	var bots []*store.Bot
	for _, b := range requestOf(r).Bots {
		if all && b.State != store.BotChecking && b.State != store.BotRejected || requestOf(r).Standing(b.Number) != nil {
			bots = append(bots, b)
		}
	}
	if err := writeLog(&log, requestOf(r).View, bots, nil); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/jsonl")
	web.SetAttachment(w, requestOf(r).Slug+".jsonl")
	write := json.NewEncoder(w)
	if _, err := w.Write(log.Bytes()); err != nil {
		return nil // the client is gone
	}
	encounters := requestOf(r).TableEncounters()
	if all {
		encounters = requestOf(r).Encounters
	}
	for _, e := range encounters {
		games, err := s.games(r, e)
		if err != nil { // too late for an error response
			s.Log.Error("read the games of an encounter", "ladder", requestOf(r).Slug, "encounter", e.Number, "error", err)
			return nil
		}
		for _, g := range games {
			if write.Encode(&arena.Record{Game: g}) != nil {
				return nil // the client is gone
			}
		}
	}
	return nil
}

// botBadge sends a badge with the rank of a bot.
func (s *site) botBadge(w http.ResponseWriter, r *web.Request) error {
	text := string(requestOf(r).bot.State)
	if l := requestOf(r).Standing(requestOf(r).bot.Number); l != nil {
		text = fmt.Sprintf("%d of %d, %+.0f Elo", l.Rank, len(requestOf(r).Lines), l.Elo)
		if l.Placing() {
			text = "being placed"
		}
	}
	return web.WriteBadge(w, requestOf(r).bot.Name, text)
}
