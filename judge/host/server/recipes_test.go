package server_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/host/freeport"
	"assay/judge/running/config"
)

// A behind is a server behind the proxy of a recipe. It has handlers that respond with a description of the
// request, and handlers that stream lines.
type behind struct {
	*httptest.Server
	next chan struct{} // makes the stream send a line
	gone chan struct{} // receives a value when a stream's reader has gone
}

func newBehind(t *testing.T) *behind {
	b := &behind{next: make(chan struct{}), gone: make(chan struct{}, 2)}
	mux := http.NewServeMux()
	mux.HandleFunc("/asked", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s %s", r.Host, r.Header.Get("X-Forwarded-For"), r.URL)
	})
	mux.HandleFunc("POST /upload", func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprintln(w, n, err)
	})
	stream := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			for i := 0; ; i++ {
				fmt.Fprintf(w, "line %d\n", i)
				_ = http.NewResponseController(w).Flush()
				select {
				case <-b.next:
				case <-r.Context().Done():
					b.gone <- struct{}{}
					return
				}
			}
		}
	}
	mux.HandleFunc("/events", stream("text/event-stream"))
	mux.HandleFunc("/feed", stream("application/x-ndjson"))
	mux.HandleFunc("/queue", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "websocket" || !strings.EqualFold(r.Header.Get("Connection"), "upgrade") {
			http.Error(w, "no upgrade", http.StatusBadRequest)
			return
		}
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello\n")
		_ = rw.Flush()
		line, _ := rw.ReadString('\n')
		fmt.Fprint(rw, "heard "+line)
		_ = rw.Flush()
	})
	b.Server = httptest.NewServer(mux)
	t.Cleanup(b.Close)
	return b
}

// patience is the timeout for actions on a busy machine.
const patience = 3 * time.Minute

// proxied starts the proxy of a recipe with cmd, and waits until the proxy forwards requests for site.
func (b *behind) proxied(t *testing.T, site string, cmd *exec.Cmd) {
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it was killed
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have exited
		<-ended
	})
	c := client(t)
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		res, err := c.Get(site + "/asked?a=1")
		if err == nil {
			data, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				if want := strings.SplitN(site, "//", 2)[1] + " 127.0.0.1 /asked?a=1"; string(data) != want {
					t.Fatalf("the server is asked %q, want %q", data, want)
				}
				return
			}
			err = fmt.Errorf("%s: %s", res.Status, data)
		}
		select {
		case <-ended:
			t.Fatalf("%v ended: %s", cmd.Args, &said)
		default:
		}
		if time.Now().After(end) {
			t.Fatalf("%v never answers: %v\n%s", cmd.Args, err, &said)
		}
	}
}

func client(t *testing.T) *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// passes checks that the proxy at site forwards everything that the server needs.
func (b *behind) passes(t *testing.T, site string) {
	c := client(t)
	for _, path := range []string{"/events", "/feed"} {
		res, err := c.Get(site + path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(res.Body)
		for i := range 3 {
			if line, err := lines.ReadString('\n'); err != nil || line != fmt.Sprintf("line %d\n", i) {
				t.Fatalf("%s has the line %q, %v: is it held back?", path, line, err)
			}
			b.next <- struct{}{} // the server sends the next line only now
		}
		res.Body.Close()
		select {
		case <-b.gone:
		case <-time.After(patience):
			t.Fatalf("the reader of %s has gone, and the server does not know", path)
		}
	}
	const size = 8 << 20
	res, err := c.Post(site+"/upload", "application/octet-stream", io.LimitReader(zeros{}, size))
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if string(data) != fmt.Sprintln(size, "<nil>") {
		t.Errorf("of an upload %s arrives: %s", data, res.Status)
	}
	r, err := http.NewRequest("GET", site+"/asked", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", "203.0.113.7")
	if res, err = c.Do(r); err != nil {
		t.Fatal(err)
	}
	data, _ = io.ReadAll(res.Body)
	res.Body.Close()
	if strings.Contains(string(data), "203.0.113.7") {
		t.Errorf("a client can say who it is: %s", data)
	}
	b.upgrades(t, site)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func (b *behind) upgrades(t *testing.T, site string) {
	host := strings.SplitN(site, "//", 2)[1]
	var conn net.Conn
	var err error
	if strings.HasPrefix(site, "https:") {
		conn, err = tls.Dial("tcp", host, &tls.Config{InsecureSkipVerify: true})
	} else {
		conn, err = net.Dial("tcp", host)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "GET /queue HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", host)
	in := bufio.NewReader(conn)
	head, err := http.ReadResponse(in, nil)
	if err != nil || head.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("an upgrade: %+v, %v", head, err)
	}
	if line, err := in.ReadString('\n'); err != nil || line != "hello\n" {
		t.Errorf("after an upgrade the server says %q, %v", line, err)
	}
	fmt.Fprint(conn, "you\n")
	if line, err := in.ReadString('\n'); err != nil || line != "heard you\n" {
		t.Errorf("after an upgrade the server says %q, %v", line, err)
	}
}

// recipe reads a recipe and replaces texts in it. The arguments are pairs of old and new texts.
func recipe(t *testing.T, name string, change ...string) string {
	t.Helper()
	data, err := os.ReadFile("../../../docs/recipes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for i := 0; i < len(change); i += 2 {
		if !strings.Contains(text, change[i]) {
			t.Fatalf("%s has no %q", name, change[i])
		}
		text = strings.ReplaceAll(text, change[i], change[i+1])
	}
	return text
}

// certificate writes a certificate and its key.
func certificate(t *testing.T, dir string) (cert, key string) {
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"judge.example"}}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	check(err)
	pkcs, err := x509.MarshalPKCS8PrivateKey(private)
	check(err)
	cert, key = filepath.Join(dir, "judge.crt"), filepath.Join(dir, "judge.key")
	check(os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	check(os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs}), 0o600))
	return cert, key
}

func TestNginxRecipe(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("no nginx: apt-get install nginx-light")
	}
	b, dir, at := newBehind(t), t.TempDir(), freeport.Address(t)
	cert, key := certificate(t, dir)
	site := recipe(t, "nginx.conf", "listen 443 ssl", "listen "+at+" ssl", "/etc/ssl/judge.crt", cert, "/etc/ssl/judge.key", key,
		"127.0.0.1:8080", b.Listener.Addr().String())
	var temporary strings.Builder // directories that are elsewhere on a real system
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temporary, "    %s_temp_path %s;\n", kind, filepath.Join(dir, kind))
	}
	whole := fmt.Sprintf("daemon off;\nmaster_process off;\npid %s;\nerror_log stderr;\n"+
		"events { worker_connections 64; }\nhttp {\n    access_log off;\n%s%s}\n",
		filepath.Join(dir, "pid"), &temporary, site)
	conf := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(conf, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	b.proxied(t, "https://"+at, exec.Command(nginx, "-e", "stderr", "-c", conf))
	b.passes(t, "https://"+at)
}

func TestCaddyRecipe(t *testing.T) {
	caddy, err := exec.LookPath("caddy")
	if err != nil {
		t.Skip("no caddy: apt-get install caddy")
	}
	b, dir, at := newBehind(t), t.TempDir(), freeport.Address(t)
	conf := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(conf, []byte("{\n\tadmin off\n\tauto_https off\n}\n"+recipe(t, "Caddyfile")), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(caddy, "run", "--adapter", "caddyfile", "--config", conf)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "ASSAY_SITE=http://"+at,
		"ASSAY_SERVER="+b.Listener.Addr().String())
	b.proxied(t, "http://"+at, cmd)
	b.passes(t, "http://"+at)
}

// TestNATSRecipe lets nats-server check the configuration.
func TestNATSRecipe(t *testing.T) {
	nats, err := exec.LookPath("nats-server")
	if err != nil {
		t.Skip("no nats-server: go install github.com/nats-io/nats-server/v2, with the version of go.mod")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"nats.conf": recipe(t, "nats.conf", "/var/lib/nats", dir),
		"users.conf": recipe(t, "users.conf")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(nats, "-t", "-c", filepath.Join(dir, "nats.conf"))
	cmd.Env = append(os.Environ(), "JUDGE_SERVER=secret")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

// TestUnitRecipes lets systemd check the units, including those of this program.
func TestUnitRecipes(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze: apt-get install systemd")
	}
	dir := t.TempDir()
	for _, unit := range []string{"nats-server.service", "../../cmd/judged/systemd/judged.service",
		"../../cmd/judged/systemd/judged-worker.service"} {
		text := recipe(t, unit)
		for _, program := range []string{"/usr/bin/nats-server", "/usr/bin/judged"} { // need not be installed
			text = strings.ReplaceAll(text, program, "/bin/true")
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(unit)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said, _ := exec.Command(analyze, "verify", "--man=no", filepath.Join(dir,
			filepath.Base(unit))).CombinedOutput() // fails for missing units of the system
		for line := range strings.Lines(string(said)) {
			if strings.Contains(line, filepath.Base(unit)) && !strings.Contains(line, "DelegateSubgroup") { // of a later systemd
				t.Errorf("systemd says of %s: %s", unit, line)
			}
		}
	}
}

// TestComposeRecipe checks that the programs and settings in the file exist. If docker and its compose plugin are
// installed, it also lets them check the file.
func TestComposeRecipe(t *testing.T) {
	text := recipe(t, "compose.yaml")
	_, settings, _ := strings.Cut(text, "#     [server]\n")
	settings, _, _ = strings.Cut(settings, "#\n")
	settings = "[server]\n" + strings.ReplaceAll(settings, "#     ", "")
	c, err := config.Load("judge.toml", []byte(settings), nil)
	if err != nil {
		t.Fatal(err)
	}
	if proxies, err := c.Server.Proxies(); err != nil || len(proxies) != 1 || c.Server.Workers != 0 ||
		c.Server.Database == "" || c.Server.URL == "" {
		t.Errorf("the settings are %+v, %v", c.Server, err)
	}
	if err := exec.Command("docker", "compose", "version").Run(); err != nil {
		return
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "compose.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("docker", "compose", "config", "--quiet")
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("docker says: %v: %s", err, said)
	}
}
