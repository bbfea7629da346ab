package job

import (
	"fmt"
	"strings"

	"assay/judge/blob"
)

// Claim says for what a worker wants bytes of the server: a job that it was given, or a bundle
// that it is to make ready.
type Claim struct {
	Job, Token string
	Bundle     blob.Digest // where Job is ""
}

// Claim is that of a worker that was given the job.
func (s *Spec) Claim() Claim { return Claim{Job: s.ID, Token: s.Token} }

// String is the claim as a request carries it.
func (c Claim) String() string {
	if c.Job != "" {
		return "job " + c.Job + " " + c.Token
	}
	return "bundle " + string(c.Bundle)
}

// ParseClaim reads what String wrote.
func ParseClaim(text string) (c Claim, err error) {
	words := strings.Split(text, " ")
	switch {
	case len(words) == 3 && words[0] == "job" && words[1] != "":
		return Claim{Job: words[1], Token: words[2]}, nil
	case len(words) == 2 && words[0] == "bundle":
		c.Bundle, err = blob.Parse(words[1])
		return c, err
	}
	return c, fmt.Errorf("%.80q does not say for what the bytes are: job ID TOKEN, or bundle DIGEST", text)
}
