package job_test

import (
	"testing"

	"assay/judge/blob"
	"assay/judge/host/job"
)

func TestClaims(t *testing.T) {
	for _, c := range []job.Claim{{Job: "01J", Token: "secret"}, {Bundle: blob.DigestOf([]byte("manifest"))}} {
		if got, err := job.ParseClaim(c.String()); err != nil || got != c {
			t.Errorf("%q is read as %+v, %v", c, got, err)
		}
	}
	for _, bad := range []string{"", "job", "job  x", "job a", "job a b c", "bundle", "bundle ../../etc/passwd", "key x"} {
		if got, err := job.ParseClaim(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, got)
		}
	}
}
