package job

import (
	"fmt"
	"strings"

	"assay/judge/blob"
)

// A Claim is the reason why a worker may fetch bytes from the server. Either it was given a job, or it prepares a
// bundle.
type Claim struct {
	Job, Token string
	Bundle     blob.Digest // set if Job is empty
}

// Claim returns the claim of a worker that was given job s.
func (s *Spec) Claim() Claim { return Claim{Job: s.ID, Token: s.Token} }

// String returns the claim in the format of the request header.
func (c Claim) String() string {
	if c.Job != "" {
		return "job " + c.Job + " " + c.Token
	}
	return "bundle " + string(c.Bundle)
}

// ParseClaim parses a text in the format that String returns.
func ParseClaim(text string) (c Claim, err error) {
	words := strings.Split(text, " ")
	switch {
	case len(words) == 3 && words[0] == "job" && words[1] != "":
		return Claim{Job: words[1], Token: words[2]}, nil
	case len(words) == 2 && words[0] == "bundle":
		c.Bundle, err = blob.Parse(words[1])
		return c, err
	}
	return c, fmt.Errorf("%.80q does not give the purpose of the bytes: want \"job ID TOKEN\" or \"bundle DIGEST\"", text)
}
