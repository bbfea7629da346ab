package workflow_test

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/job"
	"assay/judge/host/workflow"
)

func TestBotsOfALadder(t *testing.T) {
	d := blob.DigestOf([]byte("x"))
	work := job.Work{Bundle: d, Config: d, Problem: "sylver", Program: "hill"}
	one := workflow.Player{Number: 7, Name: "bot-7", File: "a.py", Files: []job.File{{Path: "a.py", Size: 1, Digest: d}}}
	many := workflow.Player{
		Number: 3, Name: "bot-3",
		Files: []job.File{{Path: "main.py", Size: 1, Digest: d}, {Path: "lib.py", Size: 1, Digest: d}},
	}

	trial, err := workflow.NewTrialSpec(work, arena.RulesChoice{Rules: "s1"}, &many)
	if err != nil {
		t.Fatal(err)
	}
	encounter, err := workflow.NewEncounterSpec(work, arena.Rules{Name: "s1", Rounds: 1, Games: 4}, 5, 12, one, many)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := workflow.NewTrialSpec(work, arena.RulesChoice{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for spec, priority := range map[*workflow.Spec]job.Priority{trial: job.TrialPriority, encounter: job.GamePriority,
		rules: job.TrialPriority} {
		if err := spec.Check(); err == nil || !strings.Contains(err.Error(), "only the server itself") {
			t.Errorf("an account may ask for a %s: %v", spec.Kind, err)
		}
		step, err := workflow.Next(spec, nil)
		if err != nil || step.Done || len(step.Tasks) != 1 || step.Tasks[0].Priority != priority {
			t.Fatalf("%s: %+v, %v", spec.Kind, step, err)
		}
		if err := step.Tasks[0].Work.Check(); err != nil {
			t.Errorf("%s: %v", spec.Kind, err)
		}
		key := step.Tasks[0].Key
		if step, err = workflow.Next(spec, []workflow.TaskResult{{Key: key, State: job.Done}}); err != nil || !step.Done || step.Failed != "" {
			t.Errorf("%s: %+v, %v", spec.Kind, step, err)
		}
		if step, err = workflow.Next(spec, []workflow.TaskResult{{Key: key, State: job.Failed, Reason: "no worker could"}}); err != nil ||
			step.Failed != "no worker could" {
			t.Errorf("%s: %+v, %v", spec.Kind, step, err)
		}
	}
	var o workflow.GamesOptions
	if err := json.Unmarshal(encounter.Options, &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Only) != 1 || o.Only[0] != (arena.Encounter{Round: 12, A: 7, B: 3, Games: 4}) || !o.Fresh || o.Opened.Seed != 5 ||
		o.Opened.Bots[1].ID != 3 {
		t.Errorf("got %+v", o)
	}
	if o.Bots[0].Path != "1/a.py" || o.Bots[1].Path != "2/bot" || encounter.Work.Files[2].Path != "2/bot/lib.py" {
		t.Errorf("got %+v and %+v", o.Bots, encounter.Work.Files)
	}
}
