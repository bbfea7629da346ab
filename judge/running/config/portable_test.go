package config_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/judge/running/config"
)

// brought returns the judge's own configuration.
func brought(t *testing.T) *config.Config {
	t.Helper()
	data, err := os.ReadFile("../../../" + config.FileName)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.FileName, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPortable(t *testing.T) {
	local := brought(t)
	data, err := local.Portable()
	if err != nil {
		t.Fatal(err)
	}
	back, err := config.LoadPortable(config.FileName, data, local)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(local, back, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what comes back:\n%s", diff)
	}
	if again, err := back.Portable(); err != nil || !bytes.Equal(data, again) {
		t.Errorf("written again, it is something else (%v)", err)
	}
}

// TestPortableShowsNothing checks that a configuration from another machine exposes no directory of this machine
// to programs, and starts nothing outside the sandbox.
func TestPortableShowsNothing(t *testing.T) {
	local := brought(t)
	const foreign = `
[sandbox]
visible = ["/root/.ssh"]
[setter]
headers = ["/root"]
[[language]]
id = "mine"
name = "Mine"
extensions = ["mine"]
tools = ["sh"]
locate = ["sh", "-c", "evil"]
visible = ["/root/.ssh"]
file = "main.mine"
package = "mine"
run = ["sh", "{entry}"]
hello = "echo"
`
	c, err := config.LoadPortable("x", []byte(foreign), local)
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := c.Language("mine")
	if len(mine.Locate)+len(mine.Visible) > 0 || !cmp.Equal(c.Visible, local.Visible) ||
		!cmp.Equal(c.Headers, local.Headers) || c.Isolation != local.Isolation {
		t.Errorf("it shows %v and %v, includes %v, runs %v", c.Visible, mine.Visible, c.Headers, mine.Locate)
	}
	if data, err := local.Portable(); err != nil || strings.Contains(string(data), "locate = ") {
		t.Errorf("what belongs to this machine goes along (%v)", err)
	}
}
