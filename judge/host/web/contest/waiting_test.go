package contest_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestWaitingInTheQueue checks that a submission in the queue is shown as waiting, with the reason, until a worker
// claims it.
func TestWaitingInTheQueue(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	first, second := h.Submit(c, "ada"), h.Submit(c, "bob")
	h.MarkDispatched(first, second)
	is := func(when, login, path string, wants ...string) {
		t.Helper()
		text := webtest.Text(h.Fetch(h.Cookie(login), "GET", path, nil).Body)
		for _, want := range wants {
			lacks, not := strings.CutPrefix(want, "not ")
			if strings.Contains(text, lacks) == not {
				t.Errorf("%s, %s reads at %s: %s, but\n%s", when, login, path, want, text)
			}
		}
	}
	is("without a worker", "ada", "/c/now/s/1", "waiting …", "no worker is online; this submission is next", "not judging …")
	is("without a worker", "bob", "/c/now/s/2", "waiting …", "no worker is online; 1 submission goes first", "not with higher priority")
	is("without a worker", "judge", "/c/now/s/2", "waiting …", "no worker is online", "not  judging ")
	for login, paths := range map[string][]string{"ada": {"/c/now", "/c/now/mine", "/c/now/p/A"},
		"judge": {"/c/now/submissions", "/c/now/overview"}} {
		for _, path := range paths {
			is("without a worker", login, path, "waiting", "not  judging ")
		}
	}
	says := h.Dispatch.Listener()
	_, key, err := queue.ReadKey(filepath.Join(t.TempDir(), "key"))
	if err == nil {
		err = h.Dispatch.Admit(&store.Worker{Name: "w", Class: "main", Key: key})
	}
	if err != nil {
		t.Fatal(err)
	}
	says.Joined("w")
	is("with a worker", "ada", "/c/now/s/1", "waiting …", "this submission is next", "not no worker")
	says.Heartbeat("w", job.Heartbeat{Slots: 1, Draining: true})
	is("with a worker that drains", "ada", "/c/now/s/1", "no worker takes submissions at the moment; this submission is next")
	says.Heartbeat("w", job.Heartbeat{Slots: 1})
	says.Taken("w", job.Running{Job: first.Job, Generation: 1})
	is("when it is claimed", "ada", "/c/now/s/1", "judging …", "not waiting", "not is next")
	is("when it is claimed", "ada", "/c/now/mine", "judging", "not waiting")
	is("when it is claimed", "bob", "/c/now/s/2", "waiting …", "this submission is next")
	is("when it is claimed", "judge", "/c/now/submissions", " judging ", "waiting")
	says.Left("w")
	is("when the worker is lost", "ada", "/c/now/s/1", "waiting …", "no worker is online")
}
