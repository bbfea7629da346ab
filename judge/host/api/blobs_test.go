package api_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

// TestSharedFilesAreAway checks that an upload is refused as temporary while the shared directory is not mounted, and
// that nothing is written below its disk.
func TestSharedFilesAreAway(t *testing.T) {
	h := newHarness(t)
	dir := t.TempDir()
	shared, err := blob.OpenSharedDir(dir)
	if err == nil {
		err = shared.SetMark("one")
	}
	if err != nil {
		t.Fatal(err)
	}
	h.blobs.CacheOf(shared)
	kept := h.give("submit", "kept")
	if err := errors.Join(os.Rename(dir, dir+"-away"), os.Mkdir(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	lost := blob.DigestOf([]byte("lost"))
	for what, r := range map[string]struct {
		method, path string
		body         any
	}{
		"an upload":           {"PUT", client.BlobPath + string(lost), "lost"},
		"an upload once more": {"PUT", client.BlobPath + string(kept), "kept"},
		"what is missing":     {"POST", client.MissingPath, client.Blobs{Blobs: []client.Blob{{Digest: kept, Size: 4}}}},
	} {
		if code, said := h.ask("submit", r.method, r.path, r.body); code != 503 || !strings.Contains(said, "the shared files do not respond") ||
			!strings.Contains(said, "try again") || strings.Contains(said, dir) {
			t.Errorf("%s: %d %s", what, code, said)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the directory below the disk has %v, %v", entries, err)
	}
	if err := errors.Join(os.Remove(dir), os.Rename(dir+"-away", dir)); err != nil {
		t.Fatal(err)
	}
	if h.give("submit", "lost"); !has(t, h.blobs, kept, 4) || !has(t, h.blobs, lost, 4) {
		t.Error("mounted again: a blob is missing")
	}
}

// TestADigestOpensNothing checks an account that knows the digest of another account's upload, but has not sent
// the bytes. The account must not be able to use the upload, to find out whether it exists, or to damage it.
func TestADigestOpensNothing(t *testing.T) {
	h := newHarness(t)
	good := h.submission("k")
	const text = "the source of another"
	d := h.give("submit", text)
	size := int64(len(text))
	lacks := func(who string, size int64) bool {
		t.Helper()
		code, said := h.ask(who, "POST", client.MissingPath, client.Blobs{Blobs: []client.Blob{{Digest: d, Size: size}}})
		var answer client.Blobs
		if err := json.Unmarshal([]byte(said), &answer); err != nil || code != 200 {
			t.Fatal(code, said, err)
		}
		return len(answer.Blobs) == 1
	}
	hands := func(who, path string, size int64) (int, string) {
		t.Helper()
		n := good
		n.Key, n.Files = who, []job.File{{Path: path, Size: size, Digest: d}}
		return h.ask(who, "POST", client.SubmissionsPath, n)
	}
	stays := func(after string) {
		t.Helper()
		if !has(t, h.blobs, d, size) || lacks("submit", size) {
			t.Errorf("after %s the blob is gone", after)
		}
	}
	// Existing and missing blobs must get the same response.
	nothing := blob.DigestOf([]byte("no one sent this"))
	for _, what := range []blob.Digest{d, nothing} {
		n := good
		n.Files = []job.File{{Path: "a.sh", Size: size, Digest: what}}
		want := fmt.Sprintf(`the server lacks the bytes of \"a.sh\" (%d bytes, SHA-256 %s)`, size, what)
		if code, said := h.ask("other", "POST", client.SubmissionsPath, n); code != 409 || !strings.Contains(said, want) {
			t.Errorf("a submission of another's bytes: %d %s", code, said)
		}
	}
	if !lacks("other", size) || lacks("submit", size) {
		t.Error("who has not sent a blob is told that it is there, or who has that it is not")
	}
	for _, wrong := range []int64{0, size - 1, size + 1} {
		if !lacks("submit", wrong) || !lacks("other", wrong) {
			t.Errorf("a blob of %d bytes is told to be there with %d", size, wrong)
		}
		stays("it was asked for with another size")
		for _, who := range []string{"submit", "other"} {
			if code, said := hands(who, "a.sh", wrong); code != 409 {
				t.Errorf("a submission with another size: %d %s", code, said)
			}
		}
		stays("a submission with another size")
		if code, said := h.ask("other", "PUT", client.BlobPath+string(d), strings.Repeat("x", int(wrong))); code != 400 {
			t.Errorf("other bytes: %d %s", code, said)
		}
		stays("other bytes were sent")
		if !lacks("other", size) {
			t.Error("other bytes are taken for the blob's")
		}
	}
	if code, said := h.ask("other", "PUT", client.BlobPath+string(d), strings.Repeat("x", int(size))); code != 400 || !lacks("other", size) {
		t.Errorf("bytes of the right number: %d %s", code, said)
	}
	// Workflows, golf submissions, and bundles also refer to files.
	workflow := client.NewWorkflow{Kind: "golf", Problem: "sum", Files: []job.File{{Path: "a.sh", Size: size, Digest: d}}}
	if code, said := h.ask("other", "PUT", client.WorkflowsPath+"/AAAAAAAAAAAAAAAAAAAAAAAA", workflow); code != 409 ||
		!strings.Contains(said, "lacks the bytes") {
		t.Errorf("a workflow about another's bytes: %d %s", code, said)
	}
	config := h.give("publish", "config")
	for who, n := range map[string]client.NewProblem{
		"the manifest":      {Manifest: d, Config: config},
		"the configuration": {Manifest: h.give("publish", manifestOf("x")), Config: d},
	} {
		if code, said := h.ask("publish", "PUT", client.ProblemsPath+"/new", n); code != 409 || !strings.Contains(said, string(d)+": "+who) {
			t.Errorf("another's blob as %s: %d %s", who, code, said)
		}
	}
	n := client.NewProblem{Manifest: h.give("publish", manifestOf(text)), Config: config}
	if code, said := h.ask("publish", "PUT", client.ProblemsPath+"/new", n); code != 409 || !strings.Contains(said, "lacks the bytes") {
		t.Errorf("a bundle with another's blob in it: %d %s", code, said)
	}
	// Problem metadata may refer only to files in the bundle, because every account that sees the problem can read
	// them.
	sheet, err := json.Marshal(client.ProblemInfo{Format: client.ProblemInfoFormat,
		Files: []client.ProblemFile{{Name: "x.png", Type: "image/png", Size: size, Digest: d}}})
	if err != nil {
		t.Fatal(err)
	}
	n = client.NewProblem{Manifest: h.give("publish", manifestOf("mine")), Config: config, Info: h.give("publish", string(sheet))}
	h.give("publish", "mine")
	if code, said := h.ask("publish", "PUT", client.ProblemsPath+"/new", n); code != 400 ||
		!strings.Contains(said, "which the bundle does not have") {
		t.Errorf("a sheet with another's file: %d %s", code, said)
	}
	// An account that has uploaded the bytes itself may use them.
	h.give("other", text)
	stays("another sent it as well")
	if code, said := hands("other", "a.sh", size); code != 200 {
		t.Errorf("a submission of bytes that were sent: %d %s", code, said)
	}
	if lacks("other", size) {
		t.Error("who has sent a blob is told that it is not there")
	}
}

// TestASlowBodyHoldsNothingUp checks that blobs and accounts can be removed while the server waits for a request
// body.
func TestASlowBodyHoldsNothingUp(t *testing.T) {
	h := newHarness(t)
	for who, rt := range map[string][2]string{
		"submit": {"PUT", client.BlobPath + strings.Repeat("0", 64)}, "other": {"POST", client.SubmissionsPath},
		"publish": {"PUT", client.ProblemsPath + "/sum"},
	} {
		c, err := net.Dial("tcp", h.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Length: 500\r\nExpect: 100-continue\r\n\r\n", rt[0], rt[1],
			h.headers[who])
		if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, " 100 ") { // its body is waited for
			t.Errorf("%s: %q, %v", rt, line, err)
			continue
		}
		if !h.intake.CollectLock.TryLock() {
			t.Errorf("%s: nothing can be removed while the body is waited for", rt)
			continue
		}
		h.intake.CollectLock.Unlock()
	}
}

// TestTheMostThatIsSent checks the limit for uploads that no submission refers to. Other accounts, and uploads
// that are used, must not be affected. A contestant's unused uploads must be removed after an hour.
func TestTheMostThatIsSent(t *testing.T) {
	h := newHarness(t)
	h.intake.MaxSize = 16 << 20
	good := h.submission("first")
	const size = 16 << 20
	send := func(who string, n byte) (blob.Digest, int, string) {
		t.Helper()
		data := strings.Repeat(string('a'+rune(n)), size)
		d := blob.DigestOf([]byte(data))
		code, said := h.ask(who, "PUT", client.BlobPath+string(d), data)
		return d, code, said
	}
	var last blob.Digest
	for n := range byte(5) {
		d, code, said := send("submit", n)
		if n < 4 && code != 200 || n == 4 && (code != 429 || !strings.Contains(said, "64 MiB of uploads")) {
			t.Fatalf("blob %d is answered %d %s", n, code, said)
		}
		if last = d; n == 0 {
			good.Key, good.Files = "second", []job.File{{Path: "a.sh", Size: size, Digest: d}}
		}
	}
	if has(t, h.blobs, last, size) {
		t.Error("a blob that was refused is there")
	}
	for _, who := range []string{"other", "publish"} {
		if _, code, said := send(who, 4); code != 200 {
			t.Errorf("%s is answered %d %s", who, code, said)
		}
	}
	if code, said := h.ask("submit", "POST", client.SubmissionsPath, good); code != 200 {
		t.Fatalf("the submission is answered %d %s", code, said)
	}
	if _, code, said := send("submit", 4); code != 200 { // a submission now refers to one of the blobs
		t.Errorf("after a submission: %d %s", code, said)
	}
	h.ahead.Store(int64(time.Hour + time.Second))
	gone, err := h.store.CollectGarbage(t.Context(), func(blob.Digest) ([]blob.Digest, error) { return nil, nil },
		func(blob.Digest) error { return nil })
	if err != nil || gone != 3 { // all except the submission's blob and the one that publish has also sent
		t.Errorf("after an hour %d blobs go, %v", gone, err)
	}
}

// TestWhatIsAskedForLeavesNothing checks that digests in a request for missing blobs are not stored.
func TestWhatIsAskedForLeavesNothing(t *testing.T) {
	h := newHarness(t)
	mine := h.give("submit", "mine")
	asked := client.Blobs{Blobs: []client.Blob{{Digest: mine, Size: 4}}}
	for i := len(asked.Blobs); i < client.MaxBlobs; i++ {
		asked.Blobs = append(asked.Blobs, client.Blob{Digest: blob.DigestOf([]byte(fmt.Sprint(i))), Size: 4})
	}
	if code, said := h.ask("submit", "POST", client.MissingPath, asked); code != 200 ||
		strings.Count(said, "sha256") != client.MaxBlobs-1 || strings.Contains(said, string(mine)) {
		t.Errorf("%d with %d blobs", code, strings.Count(said, "sha256"))
	}
	h.ahead.Store(int64(72 * 3600e9)) // anything that a request left would be removed after two days
	var gone []blob.Digest
	_, err := h.store.CollectGarbage(t.Context(), func(blob.Digest) ([]blob.Digest, error) { return nil, nil },
		func(d blob.Digest) error { gone = append(gone, d); return nil })
	if err != nil || len(gone) != 1 || gone[0] != mine {
		t.Errorf("swept away are %d blobs, %v; want that which was sent", len(gone), err)
	}
	if code, said := h.ask("submit", "POST", client.MissingPath, client.Blobs{Blobs: asked.Blobs[:1]}); code != 200 ||
		!strings.Contains(said, string(mine)) {
		t.Errorf("a blob that was swept away is told to be there: %d %s", code, said)
	}
}

// TestWhatAWorkerGets checks that a worker gets the blobs of the jobs that it was given, and of current bundles.
// The worker's key alone must give no access.
func TestWhatAWorkerGets(t *testing.T) {
	h := newHarness(t)
	test, config, was := h.give("publish", "test"), h.give("publish", "config"), h.give("publish", "old")
	source, others := h.give("submit", "source"), h.give("submit", "another source")
	publisher, err := h.store.AccountByLogin(t.Context(), "publish")
	if err != nil {
		t.Fatal(err)
	}
	publish := func(file string) blob.Digest {
		t.Helper()
		m := h.give("publish", manifestOf(file))
		if _, err := h.store.PutBundle(t.Context(),
			store.NewBundle{Problem: "sum", Title: "Sum", Owner: publisher.ID, ID: m, Manifest: m, Config: config,
				MadeBy: publisher.ID}); err != nil {
			t.Fatal(err)
		}
		return m
	}
	oldManifest := publish("old")
	h.handIn("k1", "source")
	manifest := publish("test")
	h.handIn("k2", "another source")
	specs, err := h.store.NextJobs(t.Context(), job.PracticePriority, "main", 9)
	if err != nil || len(specs) != 2 {
		t.Fatal(specs, err)
	}
	first, second := specs[0].Claim(), specs[1].Claim()
	forged := job.Claim{Job: first.Job, Token: second.Token}
	now, before := job.Claim{Bundle: manifest}, job.Claim{Bundle: oldManifest}
	for _, c := range []struct {
		why  job.Claim
		d    blob.Digest
		want int
	}{
		{first, source, 200}, {first, oldManifest, 200}, {first, was, 200}, {first, config, 200}, {first, others, 404}, {first, test, 404},
		{first, manifest, 404},
		{second, others, 200}, {second, manifest, 200}, {second, test, 200}, {second, source, 404}, {second, was, 404},
		{forged, source, 404}, {forged, config, 404},
		{now, manifest, 200}, {now, test, 200}, {now, config, 200}, {now, source, 404}, {now, was, 404},
		{before, oldManifest, 404}, {before, was, 404}, {before, config, 404},
		{job.Claim{Bundle: source}, source, 404},
		{job.Claim{Job: "none", Token: "none"}, source, 404},
	} {
		code, said := h.fetch("worker", c.d, c.why.String())
		if code != c.want || code == 200 && blob.DigestOf([]byte(said)) != c.d {
			t.Errorf("%s for %q is answered %d %q, want %d", c.d, c.why, code, said, c.want)
		}
	}
	for _, text := range []string{"", "job", "job x", "bundle ..", "key"} {
		if code, said := h.fetch("worker", source, text); code != 400 {
			t.Errorf("the claim %q is answered %d %s", text, code, said)
		}
	}
	for _, who := range []string{"submit", "publish", "admin", "gone worker"} {
		if code, said := h.fetch(who, source, first.String()); code != 403 {
			t.Errorf("%s is answered %d %s", who, code, said)
		}
	}
}

// TestWhatAGuestGets checks that an untrusted worker gets no blobs of a problem in a running or future contest. It
// must also get nothing for jobs that are not for untrusted workers, even if it takes them from the queue.
func TestWhatAGuestGets(t *testing.T) {
	h := newHarness(t)
	seed, key, err := queue.ReadKey(filepath.Join(t.TempDir(), "guest"))
	if err != nil {
		t.Fatal(err)
	}
	h.ids["guest key"] = string(seed)
	if _, err := h.store.AdmitWorker(t.Context(),
		store.NewWorker{Name: "guest", Class: "main", Key: key, Capabilities: offer(), Untrusted: true}); err != nil {
		t.Fatal(err)
	}
	secret, config := h.give("publish", "secret"), h.give("publish", "config")
	h.give("submit", "source")
	manifest := h.give("publish", manifestOf("secret"))
	publisher, err := h.store.AccountByLogin(t.Context(), "publish")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.PutBundle(t.Context(), store.NewBundle{Problem: "sum", Title: "Sum", Owner: publisher.ID, ID: manifest,
		Manifest: manifest, Config: config, MadeBy: publisher.ID}); err != nil {
		t.Fatal(err)
	}
	h.handIn("k", "source")
	specs, err := h.store.NextJobs(t.Context(), job.PracticePriority, "main", 9)
	if err != nil || len(specs) != 1 {
		t.Fatal(specs, err)
	}
	all, work := job.Claim{Bundle: manifest}, specs[0].Claim()
	gets := func(when string, claim job.Claim, want map[string]int) {
		t.Helper()
		for who, code := range want {
			for _, d := range []blob.Digest{manifest, config, secret} {
				if got, said := h.fetch(who, d, claim.String()); got != code {
					t.Errorf("%s, the %s is answered %d %s, want %d", when, who, got, said, code)
				}
			}
		}
	}
	gets("where no contest has it", all, map[string]int{"worker": 200, "guest": 200})
	c := &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(time.Hour), Length: time.Hour,
		Visibility: store.VisibilityPublic}
	if err := h.store.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
		t.Fatal(err)
	}
	gets("before it begins", all, map[string]int{"worker": 200, "guest": 404})
	h.ahead.Store(int64(90 * time.Minute))
	gets("while it runs", all, map[string]int{"worker": 200, "guest": 404})
	gets("for a job while it runs", work, map[string]int{"worker": 200, "guest": 404})
	h.ahead.Store(int64(121 * time.Minute))
	gets("when it is over", all, map[string]int{"worker": 200, "guest": 200})
	gets("for a job when it is over", work, map[string]int{"worker": 200, "guest": 200})

	if _, err := h.store.Submit(t.Context(), store.NewSubmission{Account: publisher.ID, Problem: "sum", Priority: job.ContestPriority,
		Class: "main", Work: specs[0].Work}); err != nil {
		t.Fatal(err)
	}
	if specs, err = h.store.NextJobs(t.Context(), job.ContestPriority, "main", 9); err != nil || len(specs) != 1 {
		t.Fatal(specs, err)
	}
	gets("for a job of a contest", specs[0].Claim(), map[string]int{"worker": 200, "guest": 404})
	if _, err := h.store.NewWorkflow(t.Context(), "f", "golf", []byte("{}"), publisher.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.NewWorkflow(t.Context(), "g", "golf", []byte("{}"), publisher.ID); err != nil {
		t.Fatal(err)
	}
	for workflow, j := range map[string]store.WorkflowJob{"f": {Priority: job.PracticePriority},
		"g": {Priority: job.BackgroundPriority, Exclude: []string{"guest"}}} {
		j.Key, j.Class, j.Work, j.Owner = "part", "main", specs[0].Work, publisher.ID
		if _, err := h.store.AddWorkflowJobs(t.Context(), workflow, j); err != nil {
			t.Fatal(err)
		}
		parts, err := h.store.NextJobs(t.Context(), j.Priority, "main", 9)
		if err != nil || len(parts) == 0 {
			t.Fatal(parts, err)
		}
		gets("for a part of a workflow", parts[len(parts)-1].Claim(), map[string]int{"worker": 200, "guest": 404})
	}
}

// manifestOf returns the manifest of a bundle with one file.
func manifestOf(file string) string {
	e := bundle.Entry{Path: "problem.toml", Size: int64(len(file)), Digest: blob.DigestOf([]byte(file))}
	m := bundle.Manifest{Files: []bundle.Entry{e}, Findings: e}
	m.Findings.Path = bundle.FindingsFile
	return string(m.Bytes())
}

// handIn submits an uploaded source as the caller "submit".
func (h *harness) handIn(key, source string) {
	h.Helper()
	n := client.NewSubmission{Key: key, Problem: "sum", Program: "a.sh",
		Files: []job.File{{Path: "a.sh", Size: int64(len(source)), Digest: blob.DigestOf([]byte(source))}}}
	if code, said := h.ask("submit", "POST", client.SubmissionsPath, n); code != 200 {
		h.Fatal(code, said)
	}
}

// fetch requests a blob with a claim.
func (h *harness) fetch(who string, d blob.Digest, claim string) (int, string) {
	h.Helper()
	path := client.BlobPath + string(d)
	r, err := http.NewRequestWithContext(h.Context(), "GET", h.URL+path, nil)
	if err != nil {
		h.Fatal(err)
	}
	r.Header.Set("Authorization", h.as(who, "GET", path))
	r.Header.Set(client.ClaimHeader, claim)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		h.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		h.Fatal(err)
	}
	return answer.StatusCode, string(said)
}

// TestAKeyOfAnotherProgram checks that a different program with the same key is rejected, rather than answered
// with the earlier submission.
func TestAKeyOfAnotherProgram(t *testing.T) {
	h := newHarness(t)
	n := h.submission("k")
	for range 2 {
		if code, said := h.ask("submit", "POST", client.SubmissionsPath, n); code != 200 {
			t.Fatal(code, said)
		}
	}
	n.Files = []job.File{{Path: "a.sh", Size: 6, Digest: h.give("submit", "echo 2")}}
	if code, said := h.ask("submit", "POST", client.SubmissionsPath, n); code != 409 || !strings.Contains(said, "use another key") {
		t.Errorf("another program under the same key: %d %s", code, said)
	}
}
