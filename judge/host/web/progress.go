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
	// contentMark is the element at which the frame of a page with long work is split. Everything before it is sent
	// at once.
	contentMark = `<p hidden id="work"></p>`
	// progressLines is the approximate number of progress lines for one piece of work.
	progressLines = 50
)

// A Progress is called with the number of completed steps and of all steps.
type Progress func(done, all int)

// A PageContent is a page to be rendered.
type PageContent struct {
	Name string // name of the template
	View any
}

// RenderWork responds with a page for long work. It sends the beginning of the page at once, then lines that report
// progress, and finally the page that work returns. If work returns an error, the page reports the error; work
// must then have changed nothing. If the browser disconnects, the context of work is canceled.
func (s *Site) RenderWork(w http.ResponseWriter, r *Request, title, activity string,
	work func(context.Context, Progress) (PageContent, error)) error {
	b, err := s.drawPage(r, "working", title, activity)
	if err != nil {
		return err
	}
	before, after, found := bytes.Cut(b, []byte(contentMark))
	if !found {
		return errors.New("the page of long work has no mark")
	}
	// The page is not compressed, because compression would delay lines, and the page may contain passwords.
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	controller := http.NewResponseController(w)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	send := func(part []byte) {
		_ = controller.SetWriteDeadline(time.Now().Add(writeTimeout)) // not supported by test recorders
		_, err := w.Write(part)
		if err == nil {
			if err = controller.Flush(); errors.Is(err, http.ErrNotSupported) { // a wrapping writer waits for the whole page
				err = nil
			}
		}
		if err != nil {
			cancel()
		}
	}
	send(before)
	reported := 0
	d, err := work(ctx, func(done, all int) {
		if part := done * progressLines / max(1, all); part > reported {
			reported = part
			send(fmt.Appendf(nil, `<p class="working">%s: %d of %d</p>`+"\n", template.HTMLEscapeString(activity), done, all))
		}
	})
	var end strings.Builder
	if err == nil {
		err = s.renderContent(&end, d)
	}
	if err != nil {
		if r.Context().Err() != nil {
			return nil
		}
		refusal := s.refusalOf(r, err)
		end.Reset()
		if err := s.renderContent(&end, PageContent{"refused", errorView{refusal.Text, refusal.Hint, true, r.backLink()}}); err != nil {
			s.Log.Error("draw what went wrong", "path", logPath(r), "error", err)
		}
	}
	send([]byte(end.String()))
	send(after)
	return nil
}

// renderContent renders the content of a page inside the frame.
func (s *Site) renderContent(b *strings.Builder, d PageContent) error {
	t, err := s.template(d.Name)
	if err != nil {
		return err
	}
	if err := t.ExecuteTemplate(b, "body", d.View); err != nil {
		return fmt.Errorf("draw the page %s: %w", d.Name, err)
	}
	return nil
}
