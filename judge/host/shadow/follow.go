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
	maxBatch         = 1000                   // maximum number of lines that are stored together
	batchTimeout     = 200 * time.Millisecond // time to wait for more lines
	maxEmpty         = 3                      // connections without a line, after which the feed is complete
	quietAfter       = 2 * time.Second        // time without a line, after which the feed is complete
	retryImportAfter = 2 * time.Second        // interval for comparing the verdicts of this server
	recordEvery      = 5 * time.Second
	scoreboardEvery  = 20 * time.Second
)

// readFeed reads the feed of the primary until the feed ends.
func (f *follower) readFeed(ctx context.Context) error {
	if err := f.load(ctx); err != nil {
		return err
	}
	now, err := f.Store.ExternalSource(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	if f.primary, err = NewPrimary(now); err != nil {
		return err
	}
	if err := f.apply(ctx); err != nil { // the remaining changes of an earlier session
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body, err := f.primary.openFeed(ctx, now.Token)
	if status, is := errors.AsType[*StatusError](err); is && status.Code == http.StatusBadRequest && now.Token != "" {
		f.Log.Warn(
			"the primary refuses the token of its event feed, which is read from its beginning", "contest",
			f.source.Contest, "error", err,
		)
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
		torn, err := readLines(body, func(data []byte) error {
			select {
			case read <- slices.Clone(data):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		f.incomplete = torn
		ended <- err
	}()
	return f.follow(ctx, read, ended)
}

// follow stores the lines of the primary's feed that read delivers, and updates the contest, until the feed ends.
func (f *follower) follow(ctx context.Context, read <-chan []byte, ended <-chan error) error {
	heard := time.Now()
	if err := f.recordContact(ctx); err != nil {
		return err
	}
	any, last := false, time.Now() // whether there were lines with content, and the time of the last one
	for {
		var batch [][]byte
		var over error
		done := false
		var more <-chan time.Time // timeout for more lines of the current batch
		look := time.After(retryImportAfter)
	collect:
		for len(batch) < maxBatch {
			select {
			case data := <-read:
				heard = time.Now()
				if data != nil {
					batch, last = append(batch, data), heard
				}
				if more == nil {
					more = time.After(batchTimeout)
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
			if err := f.recordContact(ctx); err != nil {
				return err
			}
		}
		any = any || len(batch) > 0
		if done && !any && f.resumed && !f.incomplete {
			f.emptyConnections++
		} else if any || done {
			f.emptyConnections = 0
		}
		f.caughtUp = len(batch) == 0 && (done && f.emptyConnections >= maxEmpty || !done && time.Since(last) >= quietAfter)
		if err := f.storeLines(ctx, batch); err != nil {
			return err
		}
		if err := f.apply(ctx); err != nil {
			return err
		}
		if err := f.recordTrouble(ctx, ""); err != nil {
			return err
		}
		switch {
		case done:
			return over
		case time.Since(heard) > MaxSilence:
			return fmt.Errorf("the primary has sent nothing for %d s", int(MaxSilence.Seconds()))
		}
	}
}

// recordTrouble records why the primary cannot be followed. If the text is empty, trouble records that the primary is
// followed.
func (f *follower) recordTrouble(ctx context.Context, reason string) error {
	if f.recordedTrouble == reason {
		return nil
	}
	f.recordedTrouble = reason
	return f.Store.RecordFailure(ctx, f.source.Contest, reason)
}

// recordContact records that data from the primary has arrived.
func (f *follower) recordContact(ctx context.Context) error {
	if time.Since(f.lastRecorded) < recordEvery {
		return nil
	}
	f.lastRecorded = time.Now()
	return f.Store.RecordReceived(ctx, f.source.Contest)
}

// storeLines stores the objects in lines, and the token of the last line.
func (f *follower) storeLines(ctx context.Context, batch [][]byte) error {
	var objects []store.ExternalObject
	since := ""
	for _, data := range batch {
		l, err := parseLine(data)
		if err != nil {
			f.Log.Warn("a line of the feed of a primary cannot be read", "contest", f.source.Contest, "error", err)
			if err := f.recordError(ctx, "event-feed", "line", fmt.Sprintf("%v: %.200s", err, strings.ToValidUTF8(string(data), "?"))); err != nil {
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
		now, err := f.Store.ExternalSource(ctx, f.source.Contest)
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

// markApplied records that all fresh objects of the given types have been applied to the contest.
func (f *follower) markApplied(ctx context.Context, types ...string) error {
	var applied []store.ExternalObject
	for k, o := range f.fresh {
		if slices.Contains(types, k.typ) {
			applied = append(applied, o)
		}
	}
	if len(applied) == 0 {
		return nil
	}
	if err := f.Store.MarkCopied(ctx, f.source.Contest, applied); err != nil {
		return err
	}
	for _, o := range applied {
		delete(f.fresh, key{o.Type, o.ID})
	}
	return nil
}

// hasFresh reports whether there are fresh objects of the given types.
func (f *follower) hasFresh(types ...string) bool {
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
	again := f.needsUpdate
	f.needsUpdate = false
	people, problems := f.hasFresh("groups", "organizations", "teams"), f.hasFresh("problems")
	if again || f.hasFresh("contest", "judgement-types", "groups") {
		if err := f.updateContest(ctx, nil, false); err != nil {
			return err
		}
	}
	scores := ""
	if kind := f.mirror.object("contest", "").text("scoreboard_type"); kind == "score" {
		scores = "its scoreboard has scores, which are not taken over: solved problems count"
	}
	if err := f.recordError(ctx, "contest", "", scores); err != nil {
		return err
	}
	if people {
		if err := f.importObjects(ctx); err != nil {
			return err
		}
	}
	if problems {
		if err := f.importProblems(ctx); err != nil {
			return err
		}
	}
	if people || problems || f.needsMedia || f.hasFresh("contest") {
		if err := f.copyMedia(ctx); err != nil {
			return err
		}
	}
	if people || problems || f.hasFresh("languages", "contest") { // objects that failed before may succeed now
		f.retryFailed()
	}
	if err := f.markApplied(ctx, "groups", "organizations", "teams", "problems", "languages"); err != nil {
		return err
	}
	if f.hasFresh("submissions") {
		if err := f.importSubmissions(ctx); err != nil {
			return err
		}
	}
	if err := f.applyVerdicts(ctx); err != nil {
		return err
	}
	if again || f.hasFresh("contest", "state", "awards", "judgement-types") {
		// The results may become final only if no objects are missing. Missing objects could change the results,
		// and nothing can be added after the results are final and public.
		whole := f.caughtUp && !f.hasFresh("submissions")
		if err := f.updateContest(ctx, nil, whole); err != nil {
			return err
		}
		f.needsUpdate = f.needsUpdate || !whole
	}
	if err := f.markApplied(ctx, "contest", "judgement-types", "judgements", "awards", "state"); err != nil {
		return err
	}
	return f.storeScoreboard(ctx)
}

// retryFailed marks submissions that could not be imported as fresh again. The mark is kept only in memory. After a
// restart, retry is called again when a missing team or problem arrives.
func (f *follower) retryFailed() {
	for k, text := range f.recordedErrors {
		if data := f.mirror[k.typ][k.id]; k.typ == "submissions" && text != "" && data != "" {
			f.fresh[k] = store.ExternalObject{Type: k.typ, ID: k.id, Data: data}
		}
	}
}

// applyVerdicts decides which verdicts count.
func (f *follower) applyVerdicts(ctx context.Context) error {
	all, err := f.Store.ShadowSubmissions(ctx, f.source.Contest)
	if err != nil {
		return err
	}
	theirs := f.mirror.Verdicts()
	var changed []store.ShadowSubmission
	for _, one := range all {
		now := one
		now.Override, now.Ignored = theirs[one.ExtID], f.mirror["submissions"][one.ExtID] == ""
		switch {
		case f.source.UseOwnVerdicts && one.Ended && one.Verdict == judge.NotJudged,
			!f.source.UseOwnVerdicts && now.Override == judge.NotJudged:
			now.Override = store.Unjudged
		case f.source.UseOwnVerdicts:
			now.Override = ""
		}
		if f.source.UseOwnVerdicts && (now.Override != one.Override || now.Ignored != one.Ignored) {
			marks, err := f.Store.Overrides(ctx, one.ID) // the jury may have overridden the verdict
			if err != nil {
				return err
			}
			if len(marks) > 0 {
				now.Ignored = now.Ignored || marks[0].Ignored
				if marks[0].Verdict != "" {
					now.Override = marks[0].Verdict
				}
			}
		}
		if now != one {
			changed = append(changed, now)
		}
	}
	for part := range slices.Chunk(changed, 200) {
		if err := f.Store.SetShadowSubmissions(ctx, f.source.Contest, part); err != nil {
			return err
		}
	}
	return nil
}

// storeScoreboard stores the primary's scoreboard from time to time. Not every primary provides one.
func (f *follower) storeScoreboard(ctx context.Context) error {
	if time.Since(f.lastScoreboard) < scoreboardEvery {
		return nil
	}
	f.lastScoreboard = time.Now()
	data, err := f.primary.read(ctx, f.primary.resolve("scoreboard"), maxLine, responseTimeout)
	if _, refused := errors.AsType[*StatusError](err); refused {
		data, err = nil, nil
	}
	if err != nil {
		f.Log.Warn("the scoreboard of a primary cannot be read", "contest", f.source.Contest, "error", err)
		return nil
	}
	return f.Store.SetExternalScoreboard(ctx, f.source.Contest, string(data))
}
