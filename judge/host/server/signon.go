package server

import (
	"fmt"
	"os"
	"strings"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/signon"
	"assay/judge/host/web"
)

// newProvider returns the configured single sign-on provider, which redirects users back to this server at url. It
// returns nil if none is configured.
func (s *Server) newProvider(url string) (*signon.Provider, error) {
	o := s.o.OIDC
	if o.Issuer == "" {
		return nil, nil
	}
	var secret string
	if o.SecretFile != "" {
		data, err := os.ReadFile(o.SecretFile)
		if err != nil {
			return nil, &judge.UsageError{Err: fmt.Errorf(
				"read the secret of single sign-on: %w\n    secret_file in judge.toml names the file", err)}
		}
		if secret = strings.TrimSpace(string(data)); secret == "" {
			return nil, &judge.UsageError{Err: fmt.Errorf(
				"read the secret of single sign-on: %s is empty\n    write the secret of the client into it", o.SecretFile)}
		}
	}
	roles := map[string]auth.Role{}
	for group, role := range o.Roles {
		roles[group] = auth.Role(role)
	}
	return signon.New(signon.Options{
		Issuer: o.Issuer, Client: o.Client, Secret: secret, Scopes: o.Scopes, Claim: o.Claim,
		Roles: roles, Callback: url + web.SignOnPath + "/callback",
	}), nil
}
