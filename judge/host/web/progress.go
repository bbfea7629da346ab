package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"
)

const (
	// workMark is where a page whose work takes long is cut.
	workMark = `<p hidden id="work"></p>`
	// progressLines is about how many lines tell of the progress of one work.
	progressLines = 50
)

// A Progress tells how much of some work is done, of all of it.
type Progress func(done, all int)

// A Drawing is a page that is to be drawn.
type Drawing struct {
	Name string // of the template
	View any
}

// WorkPage answers with a page whose work takes long. It sends the frame of the page at once, then a line
// each time that the work has come further, and in the end what the work returns. If the work fails, it
// must have changed nothing: the page says so. The work ends early if the browser goes away.
func (s *Site) WorkPage(w http.ResponseWriter, r *Request, title, doing string,
	work func(context.Context, Progress) (Drawing, error)) error {
	b, err := s.draw(r, "working", title, doing)
	if err != nil {
		return err
	}
	before, after, found := bytes.Cut(b, []byte(workMark))
	if !found {
		return errors.New("the page of long work has no mark")
	}
	// It is not compressed: that would hold lines back, and it may end with passwords.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	ctx, gone := context.WithCancel(r.Context())
	defer gone()
	send := func(part []byte) {
		_ = out.SetWriteDeadline(time.Now().Add(writeWithin)) // a test's recorder does not support it
		_, err := w.Write(part)
		if err == nil {
			if err = out.Flush(); errors.Is(err, http.ErrNotSupported) { // something around it waits for the whole page
				err = nil
			}
		}
		if err != nil {
			gone()
		}
	}
	send(before)
	told := 0
	d, err := work(ctx, func(done, all int) {
		if part := done * progressLines / max(1, all); part > told {
			told = part
			send(fmt.Appendf(nil, `<p class="working">%s: %d of %d</p>`+"\n", template.HTMLEscapeString(doing), done, all))
		}
	})
	var end strings.Builder
	if err == nil {
		err = s.body(&end, d)
	}
	if err != nil {
		if r.Context().Err() != nil {
			return nil
		}
		refusal := s.refusal(r, err)
		end.Reset()
		if err := s.body(&end, Drawing{"refused", refusedView{refusal.Text, refusal.Hint, true, r.wayBack()}}); err != nil {
			s.Log.Error("draw what went wrong", "path", plainPath(r), "error", err)
		}
	}
	send([]byte(end.String()))
	send(after)
	return nil
}

// body draws what a page has inside the frame.
func (s *Site) body(b *strings.Builder, d Drawing) error {
	t, err := s.template(d.Name)
	if err != nil {
		return err
	}
	if err := t.ExecuteTemplate(b, "body", d.View); err != nil {
		return fmt.Errorf("draw the page %s: %w", d.Name, err)
	}
	return nil
}
