package config

import (
	"maps"
	"net"
	"net/url"
	"slices"

	"assay/judge/internal/suggest"
)

// signOnRoles lists the roles that a provider's group can have. It does not include administrators, which only
// another administrator can create.
var signOnRoles = []string{"contestant", "runner", "judge", "contest-admin"}

// signOn checks the settings for single sign-on, and the settings that require it.
func (k *checker) signOn(s *Server) {
	o := &s.OIDC
	if u, err := url.Parse(o.Issuer); o.Issuer != "" && (err != nil || u.Host == "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil ||
		u.Scheme != "https" && !(u.Scheme == "http" && isLocalhost(u.Hostname()))) {
		k.fault("server.oidc.issuer",
			`"https://login.example" is one: as the provider writes it, and https unless it is on this machine`,
			"server.oidc.issuer: %q is not the URL of a provider", o.Issuer)
	}
	if o.Issuer != "" && o.Client == "" {
		k.fault("server.oidc.issuer", `client = "assay" is what the provider calls this server`, "server.oidc: the client is missing")
	}
	if o.Issuer == "" && (o.Client != "" || o.SecretFile != "") {
		k.fault("server.oidc", `issuer = "https://login.example" is the URL of the provider`, "server.oidc: the issuer is missing")
	}
	if o.Claim == "" && len(o.Roles) > 0 {
		k.fault("server.oidc.roles", `set claim to the name of the claim that lists the groups of a user, often claim = "groups"`,
			"server.oidc.roles: the claim is missing")
	}
	for _, group := range slices.Sorted(maps.Keys(o.Roles)) {
		if role := o.Roles[group]; !slices.Contains(signOnRoles, role) {
			hint := suggest.Hint(role, signOnRoles)
			if role == "admin" {
				hint = "an administrator gives this role to an account on the page People"
			}
			k.fault("server.oidc.roles", hint, "server.oidc.roles: the group %q cannot have the role %q", group, role)
		}
	}
	if known := []string{"all", "staff"}; s.Password != "" && !slices.Contains(known, s.Password) {
		k.fault("server.password", suggest.Hint(s.Password, known), "server.password: unknown value %q", s.Password)
	}
	const needs = "set issuer and client in the table [server.oidc]"
	if s.Registration == "oidc" && o.Issuer == "" {
		k.fault("server.registration", needs, `server.registration: "oidc" needs a provider`)
	}
	if s.Password == "staff" && o.Issuer == "" {
		k.fault("server.password", needs, `server.password: with "staff" all others need a provider to log in`)
	}
	if s.Password == "staff" && s.Registration == "open" {
		k.fault("server.registration", `registration = "oidc" has people create accounts by single sign-on`,
			`server.registration: "open" creates accounts with passwords, which password = "staff" does not accept`)
	}
}

// isLocalhost reports whether the name of a host denotes this machine.
func isLocalhost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
