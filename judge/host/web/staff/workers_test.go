package staff_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/webtest"
)

// TestBackupsAreShown checks that administrators and juries see the state of backups, including errors.
func TestBackupsAreShown(t *testing.T) {
	h := webtest.New(t)
	judge, now := h.Cookie("judge"), time.Now()
	for name, tt := range map[string]struct {
		b    web.Backups
		want string
		warn bool
	}{
		"none are made":     {web.Backups{}, "No nightly backups", false},
		"there is none yet": {web.Backups{On: true, Next: now}, "No backup yet", false},
		"all is well":       {web.Backups{On: true, Last: now.Add(-25 * time.Hour), Kept: 7}, "7 backups are kept", false},
		"the last is old":   {web.Backups{On: true, Last: now.Add(-27 * time.Hour), Kept: 7}, "is too old", true},
		"the last one fails": {web.Backups{On: true, Last: now, Error: "the disk is full" + webtest.HostileMarkup},
			"The last backup failed: the disk is full", true},
	} {
		h.BackupState = tt.b
		_, page, _ := strings.Cut(h.Fetch(judge, "GET", "/admin/workers", nil).Body, "<h2>Backups</h2>")
		if !strings.Contains(page, tt.want) || strings.Contains(page, "box warn") != tt.warn {
			t.Errorf("where %s the page says %s", name, page)
		}
	}
}

// TestServersAreShown checks that the page lists the servers if there are several.
func TestServersAreShown(t *testing.T) {
	h := webtest.New(t)
	judge := h.Cookie("judge")
	page := func() string { return h.Fetch(judge, "GET", "/admin/workers", nil).Body }
	for n, id := range []string{"a", "b" + webtest.HostileMarkup} {
		if err := h.Store.Announce(t.Context(), store.Server{ID: id, Instance: id, Version: "v1.2.3", Address: "https://" + id}, ""); err != nil {
			t.Fatal(err)
		}
		_, servers, shown := strings.Cut(page(), "<h2>Servers</h2>")
		if shown != (n == 1) || shown && (strings.Count(servers, ">online<") != 2 || !strings.Contains(servers, "v1.2.3")) {
			t.Errorf("with %d servers: %s", n+1, servers)
		}
	}
	if err := h.Store.Depart(t.Context(), "a", "a"); err != nil {
		t.Fatal(err)
	}
	if got := page(); strings.Count(got, ">online<") != 1 || !strings.Contains(got, ">offline<") {
		t.Errorf("one has ended: %s", got)
	}
}
