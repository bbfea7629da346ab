package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"assay/judge/contests/arena"
)

// ladderFeed tells who has come to another place.
func (s *site) ladderFeed(w http.ResponseWriter, r *ask) error {
	climbs, err := s.Store.Climbs(r.Context(), r.hill.ID, mostNews)
	if err != nil {
		return err
	}
	home := "/ladder/" + r.hill.Slug
	var items []newsItem
	for _, c := range climbs {
		b := r.hill.Bot(c.Bot)
		if b == nil {
			continue
		}
		title := fmt.Sprintf("%s is number %d", b.Name, c.Place)
		switch {
		case c.Before > c.Place:
			title = fmt.Sprintf("%s rose from %d to %d", b.Name, c.Before, c.Place)
		case c.Before > 0:
			title = fmt.Sprintf("%s fell from %d to %d", b.Name, c.Before, c.Place)
		}
		items = append(items, newsItem{fmt.Sprintf("%s/climb/%d", home, c.Seq), title, fmt.Sprintf("%s/bot/%d", home, c.Bot), c.At})
	}
	return writeFeed(w, s.URL, r.hill.Name, home, r.URL.Path, items)
}

// ladderGames sends all games of a ladder as the log of an event.
func (s *site) ladderGames(w http.ResponseWriter, r *ask) error {
	var log bytes.Buffer
	if err := writeLog(&log, r.hill.View, nil); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/jsonl")
	h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+quoted(r.hill.Slug+".jsonl"))
	write := json.NewEncoder(w)
	if _, err := w.Write(log.Bytes()); err != nil {
		return nil // nobody listens
	}
	for _, e := range r.hill.Encounters {
		games, err := s.games(r, e)
		if err != nil { // the head is sent
			s.Log.Error("read the games of an encounter", "ladder", r.hill.Slug, "encounter", e.Number, "error", err)
			return nil
		}
		for _, g := range games {
			if write.Encode(&arena.Record{Game: g}) != nil {
				return nil // nobody listens
			}
		}
	}
	return nil
}

// botBadge draws the place of a bot.
func (s *site) botBadge(w http.ResponseWriter, r *ask) error {
	text := string(r.hill.bot.State)
	if l := r.hill.Line(r.hill.bot.Number); l != nil {
		text = fmt.Sprintf("%d of %d, %+.0f Elo", l.Place, len(r.hill.Lines), l.Elo)
		if l.Placing() {
			text = "being placed"
		}
	}
	return badge(w, r.hill.bot.Name, text)
}
