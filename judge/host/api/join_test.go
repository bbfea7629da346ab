package api_test

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

// TestJoinAgain checks a worker that has joined, but did not receive the response. If the worker sends the same
// code again, it must receive its class. No other worker may use the code.
func TestJoinAgain(t *testing.T) {
	h := newHarness(t)
	_, said := h.ask("admin", "POST", "/v1/workers/invites", client.NewJoinCode{Worker: "far"})
	var i client.JoinCode
	if err := json.Unmarshal([]byte(said), &i); err != nil {
		t.Fatal(said, err)
	}
	_, key, err := queue.ReadKey(filepath.Join(t.TempDir(), "far"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, said := h.ask("anonymous", "POST", "/v1/workers/join", client.JoinRequest{Code: i.Code, Key: key, Capabilities: offer()})
		if got != 200 || !strings.Contains(said, `"class":"main"`) {
			t.Errorf("to join is answered %d %s", got, said)
		}
	}
	_, other, err := queue.ReadKey(filepath.Join(t.TempDir(), "other"))
	if err != nil {
		t.Fatal(err)
	}
	if got, said := h.ask("anonymous", "POST", "/v1/workers/join",
		client.JoinRequest{Code: i.Code, Key: other, Capabilities: offer()}); got != 403 || !strings.Contains(said, "used already") {
		t.Errorf("a second worker is answered %d %s", got, said)
	}
}

// TestCodes checks that each invalid, used or expired code is rejected with the reason.
func TestCodes(t *testing.T) {
	h := newHarness(t)
	_, said := h.ask("admin", "POST", "/v1/workers/invites", client.NewJoinCode{Worker: "far"})
	var i client.JoinCode
	if err := json.Unmarshal([]byte(said), &i); err != nil {
		t.Fatal(said, err)
	}
	_, key, err := queue.ReadKey(filepath.Join(t.TempDir(), "far"))
	if err != nil {
		t.Fatal(err)
	}
	join := func(code, key string, status int, says string) {
		t.Helper()
		got, said := h.ask("anonymous", "POST", "/v1/workers/join", client.JoinRequest{Code: code, Key: key, Capabilities: offer()})
		if got != status || !strings.Contains(said, says) {
			t.Errorf("to join is answered %d %s, want %d %s", got, said, status, says)
		}
	}
	const again = `"hint":"get a new one: judged admin worker add NAME"`
	join(i.Code[:len(i.Code)-1], key, 403, `{"error":"the join code is not known here","hint":"it may be cut: get a new one: judged admin `+
		`worker add NAME"}`)
	h.ahead.Store(int64(24*time.Hour - time.Minute))
	join(" "+i.Code+"\n", h.key, 200, `"worker":"w"`) // a worker that has already joined does not use up the code
	h.ahead.Store(int64(24 * time.Hour))
	join(i.Code, key, 403, `{"error":"the join code has expired: it is good for 24 hours",`+again)
	if _, err := h.store.Worker(t.Context(), "far"); err == nil {
		t.Error("a caller without a valid code joined")
	}
	h.ahead.Store(0)
	join(i.Code, key, 200, `"worker":"far"`)
	join(i.Code, strings.Replace(key, key[10:12], "AA", 1), 400, "no key of a worker")
}

// TestAnotherMachine checks a worker that would not judge like the other workers of its class. It must receive the
// differences and be drained. Once the machine is fixed, the worker must be able to return.
func TestAnotherMachine(t *testing.T) {
	h := newHarness(t)
	hello := func(change func(*job.Capabilities), status int, says string) {
		t.Helper()
		o := offer()
		o.Languages = map[string]string{"sh": "dash 1", "lua": "5.4"}
		o.InstallHints = map[string]string{"lua": "apt-get install lua5.4"}
		change(&o)
		if got, said := h.ask("worker", "POST", "/v1/workers/hello", client.HelloRequest{Capabilities: o}); got != status ||
			!strings.Contains(said, says) {
			t.Errorf("is answered %d %s, want %d %s", got, said, status, says)
		}
	}
	state := func(want store.WorkerState) {
		t.Helper()
		if w, err := h.store.Worker(t.Context(), "w"); err != nil || w.State != want {
			t.Errorf("the worker is %+v, %v; want %s", w, err, want)
		}
	}
	hello(func(*job.Capabilities) {}, 200, `"priorities":[0,1,2,3,4,5]`) // the first worker defines the class
	const differs = `{"error":"this machine does not judge as the others of its class do:\n  `
	hello(func(o *job.Capabilities) { delete(o.Languages, "lua") }, 409,
		differs+`lua: the class main has \"5.4\", this machine has nothing: apt-get install lua5.4"`)
	state(store.WorkerDrained)
	hello(func(o *job.Capabilities) { o.Languages["sh"] = "bash 5" }, 409,
		differs+`sh: the class main has \"dash 1\", this machine has \"bash 5\"; get the same version: `)
	hello(func(o *job.Capabilities) { o.Arch = "linux/arm64" }, 409,
		differs+"the class main is of linux/amd64, this machine is linux/arm64: verdicts on both would not be the same")
	hello(func(o *job.Capabilities) { o.IsolationLevel = "user" }, 409,
		differs+"the class main judges in the sandbox root, this machine gives user")
	state(store.WorkerDrained)
	hello(func(o *job.Capabilities) { o.Languages["perl"] = "5" }, 200, `"worker":"w"`) // additional languages are allowed
	state(store.WorkerActive)
	other := func(o *job.Capabilities) { o.Languages["sh"] = "dash 2" }
	hello(other, 409, "dash 2")
	var all []client.Class
	if _, said := h.ask("admin", "GET", "/v1/classes", nil); json.Unmarshal([]byte(said), &all) != nil || len(all) != 1 ||
		all[0].Languages["sh"] != "dash 1" {
		t.Errorf("the classes are %+v", all)
	}
	accept := func(worker string, status int, says string) {
		t.Helper()
		if got, said := h.ask("admin", "PUT", "/v1/classes/main", client.AcceptClassRequest{Worker: worker}); got != status ||
			!strings.Contains(said, says) {
			t.Errorf("to accept what %s offers is answered %d %s", worker, got, said)
		}
	}
	accept("absent", 404, `has no worker \"absent\"`)
	accept("w", 200, `{"stopped":[]}`) // the class adopts the rejected capabilities
	hello(other, 200, `"worker":"w"`)
	state(store.WorkerActive)
	hello(func(*job.Capabilities) {}, 409, "dash 1")
	hello(other, 200, `"worker":"w"`)
	hello(func(*job.Capabilities) {}, 409, "dash 1")
	accept("w", 200, `{"stopped":[]}`)
	hello(func(o *job.Capabilities) { o.Version = "v2" }, 200,
		`"priorities":[1,2,3,4,5],"queue":"","notes":["this worker is of another version than the server: it judges no running contests"]`)
	state(store.WorkerActive)
}

// TestTheOnlyWorkerIsUpgraded checks that the server's own worker redefines its class if it is the only worker and
// has other versions or a better sandbox. If a language is missing, the worker must not redefine the class. Other
// workers must never do so.
func TestTheOnlyWorkerIsUpgraded(t *testing.T) {
	for name, c := range map[string]struct {
		worker, sh, lua string
		rung, says      string // empty for the values used in most rows
		others, guest   bool
		status          int
	}{
		"another version": {worker: "local", sh: "dash 2", lua: "5.4", status: 200},
		"a better sandbox": {worker: "local", sh: "dash 1", lua: "5.4", rung: "root-cgroup2",
			says: `the sandbox is "root-cgroup2" and was "root"`, status: 200},
		"a worse sandbox":       {worker: "local", sh: "dash 2", lua: "5.4", rung: "rootless", status: 409},
		"an unknown sandbox":    {worker: "local", sh: "dash 2", lua: "5.4", rung: "of tomorrow", status: 409},
		"of a second server":    {worker: "local-2", sh: "dash 2", lua: "5.4", status: 200},
		"a tool that is gone":   {worker: "local", sh: "dash 2", status: 409},
		"beside another worker": {worker: "local", sh: "dash 2", lua: "5.4", others: true, status: 409},
		"beside a guest":        {worker: "local", sh: "dash 2", lua: "5.4", guest: true, status: 200},
		"another worker's":      {worker: "localhost", sh: "dash 2", lua: "5.4", status: 409},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			seed, key, err := queue.ReadKey(filepath.Join(t.TempDir(), c.worker))
			if err != nil {
				t.Fatal(err)
			}
			h.seed = seed
			o := offer()
			o.Languages = map[string]string{"sh": "dash 1", "lua": "5.4"}
			if _, err := h.store.AdmitWorker(t.Context(), store.NewWorker{Name: c.worker, Class: "main", Key: key, Capabilities: o}); err != nil {
				t.Fatal(err)
			}
			if c.guest {
				if _, err := h.store.AdmitWorker(t.Context(),
					store.NewWorker{Name: "friend", Class: "main", Key: "key of a friend", Untrusted: true, Capabilities: o}); err != nil {
					t.Fatal(err)
				}
			}
			if w, err := h.store.Worker(t.Context(), "w"); err != nil ||
				!c.others && h.store.SetWorkerState(t.Context(), w.ID, store.WorkerRevoked, "") != nil {
				t.Fatal(err)
			}
			if got, said := h.ask("worker", "POST", "/v1/workers/hello", client.HelloRequest{Capabilities: o}); got != 200 {
				t.Fatal(got, said)
			}
			o.Languages, o.IsolationLevel = map[string]string{"sh": c.sh, "lua": c.lua}, cmp.Or(c.rung, o.IsolationLevel)
			if got, said := h.ask("worker", "POST", "/v1/workers/hello", client.HelloRequest{Capabilities: o}); got != c.status {
				t.Errorf("it is answered %d %s", got, said)
			}
			log, err := h.store.LatestAuditEntries(t.Context(), "", 1)
			if told := err == nil && len(log) > 0 && log[0].Action == "accept class" &&
				strings.Contains(log[0].Detail, cmp.Or(c.says, `sh is "dash 2" and was "dash 1"`)); told != (c.status == 200) {
				t.Errorf("the audit log has %+v, %v", log, err)
			}
		})
	}
}

// TestMachinesOfOneClassAreEquallyFast checks that the first trusted worker with a measurement determines the
// speed of the class. Workers with an unreliable measurement, or without one, must be accepted.
func TestMachinesOfOneClassAreEquallyFast(t *testing.T) {
	h := newHarness(t)
	hello := func(ms float64, doubt string, status int, says string) {
		t.Helper()
		o := offer()
		if ms > 0 {
			o.Speed = &job.Speed{Loads: map[string]float64{"arithmetic": ms}, Doubt: doubt}
		}
		if got, said := h.ask("worker", "POST", "/v1/workers/hello", client.HelloRequest{Capabilities: o}); got != status ||
			!strings.Contains(said, says) {
			t.Errorf("%v ms is answered %d %s, want %d %s", ms, got, said, status, says)
		}
	}
	speed := func(want float64) {
		t.Helper()
		c, err := h.store.Class(t.Context(), "main")
		if err != nil || c.Speed == nil && want > 0 || c.Speed != nil && c.Speed.Loads["arithmetic"] != want {
			t.Errorf("the class is %+v, %v", c, err)
		}
	}
	hello(0, "", 200, `"priorities":[0,1,2,3,4,5],"queue":""}`)
	hello(500, "others were busy", 200, `"priorities":[0,1,2,3,4,5],"queue":""}`)
	speed(0)
	hello(200, "", 200, `"factor":1}`)
	speed(200)
	hello(210, "", 200, `"factor":1.05}`)
	hello(300, "", 409, "this machine takes 1.50 times the CPU time of the first one of the class main (arithmetic 1.50)")
	hello(300, "others were busy", 200, `"worker":"w"`)
	hello(150, "", 409, "0.75 times")
	hello(190, "", 200, `"factor":0.95}`)
	speed(200)
	var all []client.Worker
	if _, said := h.ask("admin", "GET", "/v1/workers", nil); json.Unmarshal([]byte(said), &all) != nil || all[0].SpeedFactor != 0.95 {
		t.Errorf("the workers are %+v", all)
	}

	h.mixed("main")
	hello(300, "", 200, `"priorities":[1,2,3,4,5],"queue":"","factor":1.5,"scale":1.5,"notes":["the machines of the class main are mixed: `+
		`it judges no running contests, and time limits follow how fast a machine is"]`)
	hello(100, "", 200, `"scale":0.5`)
	hello(0, "", 200, `"this machine was not measured, and limits are not adjusted: run judged worker --calibrate"`)
	hello(401, "", 409, "at most 2.00 is taken")
}

// TestAGuestDecidesNothing checks that an untrusted worker can join a class, but that its measurement does not
// determine the speed of the class.
func TestAGuestDecidesNothing(t *testing.T) {
	h := newHarness(t)
	_, said := h.ask("admin", "POST", "/v1/workers/invites", client.NewJoinCode{Worker: "friend", Untrusted: true})
	var i client.JoinCode
	if err := json.Unmarshal([]byte(said), &i); err != nil {
		t.Fatal(said, err)
	}
	_, key, err := queue.ReadKey(filepath.Join(t.TempDir(), "friend"))
	if err != nil {
		t.Fatal(err)
	}
	o := offer()
	o.Speed = &job.Speed{Loads: map[string]float64{"arithmetic": 1}}
	got, said := h.ask("anonymous", "POST", "/v1/workers/join", client.JoinRequest{Code: i.Code, Key: key, Capabilities: o})
	if got != 200 || !strings.Contains(said, `"priorities":[1,2,3,4,5],"queue":"","notes":["this worker is untrusted: `) {
		t.Errorf("to join is answered %d %s", got, said)
	}
	if w, err := h.store.Worker(t.Context(), "friend"); err != nil || !w.Untrusted {
		t.Errorf("the worker is %+v, %v", w, err)
	}
	if c, err := h.store.Class(t.Context(), "main"); err != nil || c.Speed != nil {
		t.Errorf("the class is %+v, %v", c, err)
	}
}
