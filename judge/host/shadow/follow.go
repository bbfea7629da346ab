package shadow

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/store"
)

// The limits of reading a feed.
const (
	mostBatch   = 1000                   // maximum number of lines that are stored together
	batchWithin = 200 * time.Millisecond // time to wait for more lines
	mostEmpty   = 3                      // connections without a line, after which the feed is complete
	quietAfter  = 2 * time.Second        // time without a line, after which the feed is complete
	lookAgain   = 2 * time.Second        // interval for comparing the verdicts of this server
	noteEvery   = 5 * time.Second
	boardEvery  = 20 * time.Second
)

// session reads the feed of the primary until the feed ends.
func (f *follower) session(ctx context.Context) error {
	if err := f.load(ctx); err != nil {
		return err
	}
	now, err := f.Store.Source(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	if f.primary, err = Open(now); err != nil {
		return err
	}
	if err := f.apply(ctx); err != nil { // the remaining changes of an earlier session
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, err := f.primary.feed(ctx, now.Token)
	if status, is := errors.AsType[*StatusError](err); is && status.Code == http.StatusBadRequest && now.Token != "" {
		f.Log.Warn("the primary refuses the token of its event feed, which is read from its beginning", "contest", f.source.Contest, "error", err)
		return f.Store.PutExternalObjects(ctx, f.source.Contest, "", nil)
	}
	if err != nil {
		return err
	}
	defer body.Close()
	f.resumed = now.Token != ""
	read := make(chan []byte)
	ended := make(chan error, 1)
	go func() {
		torn, err := lines(body, func(data []byte) error {
			select {
			case read <- slices.Clone(data):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		f.torn = torn
		ended <- err
	}()
	return f.follow(ctx, read, ended)
}

// follow stores the lines of the primary's feed that read delivers, and updates the contest, until the feed ends.
func (f *follower) follow(ctx context.Context, read <-chan []byte, ended <-chan error) error {
	heard := time.Now()
	if err := f.heard(ctx); err != nil {
		return err
	}
	any, last := false, time.Now() // whether there were lines with content, and the time of the last one
	for {
		var batch [][]byte
		var over error
		done := false
		var more <-chan time.Time // timeout for more lines of the current batch
		look := time.After(lookAgain)
	collect:
		for len(batch) < mostBatch {
			select {
			case data := <-read:
				heard = time.Now()
				if data != nil {
					batch, last = append(batch, data), heard
				}
				if more == nil {
					more = time.After(batchWithin)
				}
			case over = <-ended:
				done = true
				break collect
			case <-more:
				break collect
			case <-look:
				break collect
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if more != nil {
			if err := f.heard(ctx); err != nil {
				return err
			}
		}
		any = any || len(batch) > 0
		if done && !any && f.resumed && !f.torn {
			f.empty++
		} else if any || done {
			f.empty = 0
		}
		f.quiet = len(batch) == 0 && (done && f.empty >= mostEmpty || !done && time.Since(last) >= quietAfter)
		if err := f.keep(ctx, batch); err != nil {
			return err
		}
		if err := f.apply(ctx); err != nil {
			return err
		}
		if err := f.trouble(ctx, ""); err != nil {
			return err
		}
		switch {
		case done:
			return over
		case time.Since(heard) > Silence:
			return fmt.Errorf("the primary has sent nothing for %d s", int(Silence.Seconds()))
		}
	}
}

// trouble records why the primary cannot be followed. If the text is empty, trouble records that the primary is
// followed.
func (f *follower) trouble(ctx context.Context, why string) error {
	if f.told == why {
		return nil
	}
	f.told = why
	return f.Store.NoteTrouble(ctx, f.source.Contest, why)
}

// heard records that data from the primary has arrived.
func (f *follower) heard(ctx context.Context) error {
	if time.Since(f.noted) < noteEvery {
		return nil
	}
	f.noted = time.Now()
	return f.Store.NoteHeard(ctx, f.source.Contest)
}

// keep stores the objects in lines, and the token of the last line.
func (f *follower) keep(ctx context.Context, batch [][]byte) error {
	var objects []store.ExternalObject
	since := ""
	for _, data := range batch {
		l, err := parseLine(data)
		if err != nil {
			f.Log.Warn("a line of the feed of a primary cannot be read", "contest", f.source.Contest, "error", err)
			if err := f.note(ctx, "event-feed", "line", fmt.Sprintf("%v: %.200s", err, strings.ToValidUTF8(string(data), "?"))); err != nil {
				return err
			}
		}
		if l.since != "" {
			since = l.since
		}
		if l.all {
			there := map[string]bool{}
			for _, o := range l.objects {
				there[o.ID] = true
			}
			for id := range f.mirror[l.typ] {
				if !there[id] {
					l.objects = append(l.objects, store.ExternalObject{Type: l.typ, ID: id})
				}
			}
		}
		for _, o := range l.objects {
			if f.mirror[o.Type][o.ID] == o.Data {
				continue
			}
			f.mirror.put(o)
			f.fresh[key{o.Type, o.ID}] = o
			objects = append(objects, o)
		}
	}
	if since == "" && len(objects) == 0 {
		return nil
	}
	if since == "" {
		now, err := f.Store.Source(ctx, f.source.Contest)
		if err != nil {
			return err
		}
		since = now.Token
	}
	err := f.Store.PutExternalObjects(ctx, f.source.Contest, since, objects)
	if err != nil {
		f.mirror = nil // reload it: it contains changes that were not stored
	}
	return err
}

// settle records that all fresh objects of the given types have been applied to the contest.
func (f *follower) settle(ctx context.Context, types ...string) error {
	var all []store.ExternalObject
	for k, o := range f.fresh {
		if slices.Contains(types, k.typ) {
			all = append(all, o)
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := f.Store.SettleExternalObjects(ctx, f.source.Contest, all); err != nil {
		return err
	}
	for _, o := range all {
		delete(f.fresh, key{o.Type, o.ID})
	}
	return nil
}

// has reports whether there are fresh objects of the given types.
func (f *follower) has(types ...string) bool {
	for k := range f.fresh {
		if slices.Contains(types, k.typ) {
			return true
		}
	}
	return false
}

// apply updates the contest from the stored objects. Objects are applied after the objects that they refer to.
func (f *follower) apply(ctx context.Context) error {
	if f.mirror["contest"][""] == "" {
		return nil // the contest has not been sent yet
	}
	again := f.again
	f.again = false
	people, problems := f.has("groups", "organizations", "teams"), f.has("problems")
	if again || f.has("contest", "judgement-types", "groups") {
		if err := f.contest(ctx, nil, false); err != nil {
			return err
		}
	}
	scores := ""
	if kind := f.mirror.object("contest", "").text("scoreboard_type"); kind == "score" {
		scores = "its scoreboard has scores, which are not taken over: solved problems count"
	}
	if err := f.note(ctx, "contest", "", scores); err != nil {
		return err
	}
	if people {
		if err := f.imported(ctx); err != nil {
			return err
		}
	}
	if problems {
		if err := f.problems(ctx); err != nil {
			return err
		}
	}
	if people || problems || f.mediaAgain || f.has("contest") {
		if err := f.media(ctx); err != nil {
			return err
		}
	}
	if people || problems || f.has("languages", "contest") { // objects that failed before may succeed now
		f.retry()
	}
	if err := f.settle(ctx, "groups", "organizations", "teams", "problems", "languages"); err != nil {
		return err
	}
	if f.has("submissions") {
		if err := f.submissions(ctx); err != nil {
			return err
		}
	}
	if err := f.verdicts(ctx); err != nil {
		return err
	}
	if again || f.has("contest", "state", "awards", "judgement-types") {
		// The results may become final only if no objects are missing. Missing objects could change the results,
		// and nothing can be added after the results are final and public.
		whole := f.quiet && !f.has("submissions")
		if err := f.contest(ctx, nil, whole); err != nil {
			return err
		}
		f.again = f.again || !whole
	}
	if err := f.settle(ctx, "contest", "judgement-types", "judgements", "awards", "state"); err != nil {
		return err
	}
	return f.scoreboard(ctx)
}

// retry marks submissions that could not be imported as fresh again. The mark is kept only in memory. After a
// restart, retry is called again when a missing team or problem arrives.
func (f *follower) retry() {
	for k, text := range f.problem {
		if data := f.mirror[k.typ][k.id]; k.typ == "submissions" && text != "" && data != "" {
			f.fresh[k] = store.ExternalObject{Type: k.typ, ID: k.id, Data: data}
		}
	}
}

// verdicts decides which verdicts count.
func (f *follower) verdicts(ctx context.Context) error {
	all, err := f.Store.ShadowedSubmissions(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	theirs := f.mirror.Verdicts()
	var changed []store.Shadowed
	for _, one := range all {
		now := one
		now.Given, now.Ignored = theirs[one.ExtID], f.mirror["submissions"][one.ExtID] == ""
		switch {
		case f.source.Ours && one.Ended && one.Verdict == judge.NotJudged, !f.source.Ours && now.Given == judge.NotJudged:
			now.Given = store.Unjudged
		case f.source.Ours:
			now.Given = ""
		}
		if f.source.Ours && (now.Given != one.Given || now.Ignored != one.Ignored) {
			marks, err := f.Store.Marks(ctx, one.ID) // the jury may have overridden the verdict
			if err != nil {
				return err
			}
			if len(marks) > 0 {
				now.Ignored = now.Ignored || marks[0].Ignored
				if marks[0].Verdict != "" {
					now.Given = marks[0].Verdict
				}
			}
		}
		if now != one {
			changed = append(changed, now)
		}
	}
	for part := range slices.Chunk(changed, 200) {
		if err := f.Store.SetShadowed(ctx, f.source.Contest, part); err != nil {
			return err
		}
	}
	return nil
}

// scoreboard stores the primary's scoreboard from time to time. Not every primary provides one.
func (f *follower) scoreboard(ctx context.Context) error {
	if time.Since(f.board) < boardEvery {
		return nil
	}
	f.board = time.Now()
	data, err := f.primary.read(ctx, f.primary.below("scoreboard"), mostLine, answerIn)
	if _, refused := errors.AsType[*StatusError](err); refused {
		data, err = nil, nil
	}
	if err != nil {
		f.Log.Warn("the scoreboard of a primary cannot be read", "contest", f.source.Contest, "error", err)
		return nil
	}
	return f.Store.SetExternalScoreboard(ctx, f.source.Contest, string(data))
}
