package report

import (
	"fmt"

	"assay/judge/contests/standings"
)

// A shownGame is a game in the JSON form that the page's script reads.
type shownGame struct {
	ID     string      `json:"id"`
	Title  string      `json:"title"`
	Bots   [2]string   `json:"bots"`
	Start  string      `json:"start,omitempty"`
	Moves  []move      `json:"moves"`
	Known  []string    `json:"known,omitempty"` // all moves that were allowed at any point
	Points []viewpoint `json:"points"`          // before the first move and after each move
	Winner int         `json:"winner"`
	Result string      `json:"result"`
	Fault  []string    `json:"fault,omitempty"` // lines to show
	Missed bool        `json:"missed,omitempty"`
}

type move struct {
	Seat  int      `json:"seat"`
	Text  string   `json:"text"`
	Took  string   `json:"took,omitempty"`
	Lost  bool     `json:"lost,omitempty"` // whether the move was a blunder
	Notes []string `json:"notes,omitempty"`
}

// A viewpoint is a position of a game that the page can show: before the first move, between two moves, or after
// the last move.
type viewpoint struct {
	Said   string   `json:"said"`
	Listed bool     `json:"listed,omitempty"` // whether the allowed moves are known
	Came   []int    `json:"came,omitempty"`   // indexes into shownGame.Known: moves that have become allowed at this point
	Went   []int    `json:"went,omitempty"`
	Best   []string `json:"best,omitempty"`
	Text   string   `json:"text,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// newShownGame prepares a game for the page.
func newShownGame(game gameOnPage) shownGame {
	key := game.Game.Key()
	r := shownGame{
		ID:     fmt.Sprintf("%d.%d.%d.%d", key.Round, key.First, key.Second, key.Leg),
		Bots:   [2]string{sanitizeLine(game.First), sanitizeLine(game.Second)},
		Start:  sanitizeLine(game.Game.Start),
		Winner: game.Game.Winner,
		Moves:  []move{},
	}
	r.Result = "drawn: " + sanitizeLine(game.Game.Reason)
	if game.Game.Winner > 0 {
		r.Result = r.Bots[game.Game.Winner-1] + " won: " + r.Bots[2-game.Game.Winner] + " lost by " + sanitizeLine(game.Game.Reason)
	}
	r.Title = fmt.Sprintf("round %d, %s against %s", key.Round, r.Bots[0], r.Bots[1])
	if key.Leg > 1 {
		r.Title += fmt.Sprintf(", game %d", key.Leg)
	}
	for i, text := range game.Game.Moves {
		m := move{Seat: game.Game.Seat(i), Text: sanitizeLine(text)}
		if i < len(game.Game.Micros) && game.Game.Micros[i] > 0 {
			m.Took = formatMillis(float64(game.Game.Micros[i]) / 1000)
		}
		r.Moves = append(r.Moves, m)
	}
	for i := range len(r.Moves) + 1 {
		r.Points = append(r.Points, newViewpoint(game, i))
	}
	r.recordMoves(game)
	for _, n := range game.Game.Notes {
		at := min(max(n.Move, 0), len(r.Moves))
		r.Points[at].Notes = append(r.Points[at].Notes, fmt.Sprintf(
			"%s, %s: %s", r.Bots[min(max(n.Seat, 1), 2)-1], sanitizeLine(n.Kind), sanitizeLine(n.Text),
		))
	}
	for _, c := range standings.WinningPositions(game.Game, game.Positions) {
		if c.Blundered {
			r.Missed = true
			if c.Move < len(r.Moves) {
				r.Moves[c.Move].Lost = true
			}
		}
	}
	r.Fault = faultLines(game, &r)
	return r
}

// faultLines describes the fault that ended a game.
func faultLines(g gameOnPage, r *shownGame) (lines []string) {
	f := g.Game.Fault
	if f == nil {
		return nil
	}
	bot := r.Bots[min(max(f.Seat, 1), 2)-1]
	lines = append(lines, fmt.Sprintf("%s, %s: %s", bot, f.Kind, sanitizeLine(f.Text)))
	if f.Bytes != "" && f.Bytes != `""` {
		lines = append(lines, "it sent "+sanitize(f.Bytes))
	}
	if f.Stderr != "" {
		lines = append(lines, "it wrote to standard error:", sanitize(f.Stderr))
	}
	return lines
}

// newViewpoint returns the viewpoint of g after the given number of moves.
func newViewpoint(g gameOnPage, moves int) viewpoint {
	if moves >= len(g.Positions) {
		return viewpoint{Said: ""}
	}
	p := g.Positions[moves]
	v := viewpoint{Text: sanitizeLine(p.Text)}
	if len(p.Best) <= maxListed {
		v.Best = p.Best
	}
	switch {
	case p.Count == 0 && p.Text != "": // the referee's text is enough
	case p.Count < 0:
		v.Said = "infinitely many moves are allowed"
	case p.Count == 1:
		v.Said = "1 move is allowed"
	default:
		v.Said = formatThousands(p.Count) + " moves are allowed"
	}
	if p.Exact != "" {
		v.Said += "; the player to move has " + map[string]string{
			"won": "won, with the right moves", "lost": "lost, against the right moves",
		}[p.Exact]
	}
	return v
}

// maxListed is the maximum number of allowed moves for which a position lists them. If more moves are allowed,
// the position lists none.
const maxListed = 600

// recordMoves records the allowed moves at each position of g as changes from the previous position. In most games, moves
// are only removed, so pages of long games stay small.
func (r *shownGame) recordMoves(g gameOnPage) {
	index := map[string]int{}
	allowed := map[int]bool{}
	for i := range r.Points {
		if i >= len(g.Positions) || g.Positions[i].Options == nil && g.Positions[i].Count != 0 || len(g.Positions[i].Options) > maxListed {
			continue
		}
		r.Points[i].Listed = true
		now := map[int]bool{}
		for _, o := range g.Positions[i].Options {
			if _, known := index[o]; !known {
				index[o] = len(r.Known)
				r.Known = append(r.Known, o)
			}
			now[index[o]] = true
		}
		for k := range r.Known {
			switch {
			case now[k] && !allowed[k]:
				r.Points[i].Came = append(r.Points[i].Came, k)
			case !now[k] && allowed[k]:
				r.Points[i].Went = append(r.Points[i].Went, k)
			}
		}
		allowed = now
	}
}

// formatThousands formats n with a comma between groups of three digits.
func formatThousands(n int64) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
