package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/host/client"
)

// TestAdminOfDirectory checks what Admin reads from data directories, and that it rejects those that no server has
// written as a whole.
func TestAdminOfDirectory(t *testing.T) {
	const notAServer = "is not the data directory of a server\n    name the directory with --data"
	for name, row := range map[string]struct {
		logins  client.Logins // nil for no file
		address string        // empty for no file
		wantURL string
		want    string // in the error
	}{
		"a server":             {client.Logins{"": {Token: "secret"}}, "http://127.0.0.1:7711\n", "http://127.0.0.1:7711", ""},
		"empty":                {nil, "", "", notAServer},
		"no address":           {client.Logins{"": {Token: "secret"}}, "", "", notAServer},
		"no token":             {nil, "http://127.0.0.1:7711\n", "", notAServer},
		"token of another URL": {client.Logins{"http://127.0.0.1:7711": {Token: "secret"}}, "http://127.0.0.1:7711\n", "", notAServer},
		"not an address":       {client.Logins{"": {Token: "secret"}}, "7711\n", "", "is not the address of a server"},
	} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			if err := os.Mkdir(filepath.Join(data, "keys"), 0o700); err != nil {
				t.Fatal(err)
			}
			if row.logins != nil {
				if err := client.WriteLogins(adminFile(data), row.logins); err != nil {
					t.Fatal(err)
				}
			}
			if row.address != "" {
				if err := os.WriteFile(addressFile(data), []byte(row.address), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			a, token, err := Admin(data)
			if row.want != "" {
				if err == nil || !strings.Contains(err.Error(), row.want) {
					t.Errorf("Admin: %v, want an error with %q", err, row.want)
				}
				return
			}
			if err != nil || a.URL != row.wantURL || token != "secret" {
				t.Errorf("Admin: %v, %q, %v", a, token, err)
			}
		})
	}
}
