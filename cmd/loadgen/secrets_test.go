package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"loadgen/engine/rest/serve"
)

// secretChild has the variable that makes this program the command that has secrets.
const secretChild = "LOADGEN_SECRET_CHILD"

// The secrets beside an account's key: of a managed identity, of what it gives, and of a client.
const (
	plantedHeader = "planted-identity-header-77c1"
	plantedToken  = "eyJwbGFudGVk.planted-token-5b20.c2lnbmVk"
	plantedClient = "planted-client~secret/93=41"
)

// certified writes a certificate for this machine and its key, and returns their files.
func certified(t *testing.T) (cert, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	private, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	err = errors.Join(os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// lines is a text that is written to by several.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// Whatever proves to a service who asks, a key, a signature, a token, the secret of a client, is
// in nothing that a run leaves: not in its record, its stream of attempts, its command line, what
// it says, or what the service logs of it.
func TestNoSecretIsLeftAnywhere(t *testing.T) {
	if args := os.Getenv(secretChild); args != "" {
		os.Exit(execute(context.Background(), strings.Split(args, "\n"), os.Stdin, os.Stdout, os.Stderr))
	}
	leftOutWhenShort(t)
	cert, key := certified(t)
	logs, journal := t.TempDir(), new(lines)
	s, err := serve.Open(t.Context(), serve.Options{Listen: "127.0.0.1:0", Account: "races", Key: planted, TLSCert: cert, TLSKey: key,
		InsecureTokens: true, Log: filepath.Join(logs, "requests.log"), Journal: journal})
	if err != nil {
		t.Fatal(err)
	}
	s.Begin()
	_, at, _ := strings.Cut(s.ConnectionString(), "TableEndpoint=")
	at, _, _ = strings.Cut(at, ";")
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":"%s","expires_on":"%d","token_type":"Bearer"}`, plantedToken, time.Now().Add(time.Hour).Unix())
	}))
	defer issuer.Close()
	signature := signatureOf(t, at)
	keyFile, stringFile := filepath.Join(logs, "account.key"), filepath.Join(logs, "connection.txt")
	if err := errors.Join(os.WriteFile(keyFile, []byte(planted), 0o600),
		os.WriteFile(stringFile, []byte("TableEndpoint="+at+";SharedAccessSignature="+signature), 0o600)); err != nil {
		t.Fatal(err)
	}
	identity := []string{"IDENTITY_ENDPOINT=" + issuer.URL, "IDENTITY_HEADER=" + plantedHeader, "AZURE_TOKEN_CREDENTIALS=ManagedIdentityCredential",
		"AZURE_CLIENT_SECRET=" + plantedClient}
	client := []string{"AZURE_TOKEN_CREDENTIALS=EnvironmentCredential", "AZURE_TENANT_ID=races", "AZURE_CLIENT_ID=races", "AZURE_CLIENT_SECRET=" + plantedClient,
		"AZURE_AUTHORITY_HOST=https://127.0.0.1:1/"}
	said := make(map[string][]byte)
	for _, row := range []struct {
		sentence string
		env      []string
		target   []string
		code     int
	}{
		{"a key", nil, []string{"--target", at, "--key-file", keyFile}, codeOk},
		{"a signature", nil, []string{"--target", "file:" + stringFile}, codeOk},
		{"a signature of the environment", []string{"LOADGEN_SECRET_TEST=TableEndpoint=" + at + ";SharedAccessSignature=" + signature}, []string{"--target", "env:LOADGEN_SECRET_TEST"}, codeOk},
		{"a token", identity, []string{"--target", at}, codeOk},
		{"a client whose secret nobody takes", client, []string{"--target", at}, codeTarget},
	} {
		folder := t.TempDir()
		c := exec.Command(os.Args[0], "-test.run=^TestNoSecretIsLeftAnywhere$")
		args := append([]string{"stress", "--rate", "50", "--duration", "1s", "--out", "run", "--record", "attempts.bin", "--no-probe", "--verbose", "--yes",
			"--set", "phases.load.entities=100", "--set", "phases.peak.hold=false", "--workers", "4"}, row.target...)
		c.Dir, c.Env = folder, append(append(os.Environ(), row.env...), secretChild+"="+strings.Join(args, "\n"), "SSL_CERT_FILE="+cert, "HTTPS_PROXY=")
		var output bytes.Buffer
		c.Stdout, c.Stderr = &output, &output
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := os.ReadFile("/proc/" + strconv.Itoa(c.Process.Pid) + "/cmdline"); err == nil {
			said[row.sentence+": the command line"] = line
		}
		_ = c.Wait() // the code tells
		if code := c.ProcessState.ExitCode(); code != row.code {
			t.Errorf("%s: exit code %d; want %d\n%s", row.sentence, code, row.code, &output)
		}
		said[row.sentence+": what it says"] = output.Bytes()
		for _, name := range leftIn(t, folder) {
			if text, err := os.ReadFile(name); err == nil {
				said[row.sentence+": "+name] = text
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	said["the service's journal"] = journal.text.Bytes()
	requests, err := os.ReadFile(filepath.Join(logs, "requests.log"))
	if said["the service's log"] = requests; err != nil || bytes.Count(requests, []byte("\n")) < 300 {
		t.Errorf("the log has %d lines, %v; want all of four runs", bytes.Count(requests, []byte("\n")), err)
	}
	if len(said) < 30 {
		t.Errorf("searched %d texts; want all of the records", len(said))
	}
	query, err := url.ParseQuery(signature)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range said {
		for _, secret := range []string{planted, plantedHeader, plantedToken, plantedClient, query.Get("sig")} {
			for _, form := range []string{secret, url.QueryEscape(secret)} {
				if bytes.Contains(text, []byte(form)) {
					t.Errorf("%s has the secret %q", name, form)
				}
			}
		}
	}
}

// signatureOf returns a shared access signature of the account at an address, by another client
// than ours.
func signatureOf(t *testing.T, at string) string {
	t.Helper()
	cred, err := aztables.NewSharedKeyCredential("races", planted)
	if err != nil {
		t.Fatal(err)
	}
	client, err := aztables.NewServiceClientWithSharedKey(at, cred, nil)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := client.GetAccountSASURL(aztables.AccountSASResourceTypes{Service: true, Container: true, Object: true},
		aztables.AccountSASPermissions{Read: true, Write: true, Delete: true, List: true, Add: true, Create: true, Update: true}, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(signed, "?")
	return query
}
