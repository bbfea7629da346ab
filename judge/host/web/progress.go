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
	// workMark is the element at which the frame of a page with long work is split. Everything before it is sent
	// at once.
	workMark = `<p hidden id="work"></p>`
	// progressLines is the approximate number of progress lines for one piece of work.
	progressLines = 50
)

// A Progress is called with the number of completed steps and of all steps.
type Progress func(done, all int)

// A Drawing is a page to be rendered.
type Drawing struct {
	Name string // name of the template
	View any
}

// WorkPage responds with a page for long work. It sends the beginning of the page at once, then lines that report
// progress, and finally the page that work returns. If work returns an error, the page reports the error; work
// must then have changed nothing. If the browser disconnects, the context of work is canceled.
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
	// The page is not compressed, because compression would delay lines, and the page may contain passwords.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	ctx, gone := context.WithCancel(r.Context())
	defer gone()
	send := func(part []byte) {
		_ = out.SetWriteDeadline(time.Now().Add(writeWithin)) // not supported by test recorders
		_, err := w.Write(part)
		if err == nil {
			if err = out.Flush(); errors.Is(err, http.ErrNotSupported) { // a wrapping writer waits for the whole page
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

// body renders the content of a page inside the frame.
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
