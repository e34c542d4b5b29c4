//go:build ci

package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

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
	require.NoError(t, err)
	folder := t.TempDir()
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	err = errors.Join(os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600),
		os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
	require.NoError(t, err)
	return cert, key
}

// signatureOf returns a shared access signature of the account at an address, by another client
// than ours.
func signatureOf(t *testing.T, at string) string {
	t.Helper()
	cred, err := aztables.NewSharedKeyCredential("races", planted)
	require.NoError(t, err)
	client, err := aztables.NewServiceClientWithSharedKey(at, cred, nil)
	require.NoError(t, err)
	signed, err := client.GetAccountSASURL(aztables.AccountSASResourceTypes{Service: true, Container: true, Object: true},
		aztables.AccountSASPermissions{Read: true, Write: true, Delete: true, List: true, Add: true, Create: true, Update: true}, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	require.NoError(t, err)
	_, query, _ := strings.Cut(signed, "?")
	return query
}

// Whatever proves to a service who asks, a key, a signature, a token, the secret of a client, is
// in nothing that a run leaves: not in its record, its stream of attempts, its command line, what
// it says, or what the service logs of it.
func TestNoSecretIsLeftAnywhere(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	cert, key := certified(t)
	logs, journal := t.TempDir(), new(resttest.Buffer)
	s, err := serve.Open(t.Context(), serve.Options{Listen: "127.0.0.1:0", Account: "races", Key: planted, TLS: cert + "," + key,
		Tokens: serve.AnyToken, Log: filepath.Join(logs, "requests.log"), Journal: journal})
	require.NoError(t, err)
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
	said := make(map[string]string)
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
		args := append([]string{"stress", "--rate", "50", "--duration", "1s", "--out", "run", "--record", "attempts.bin", "--no-probe", "--verbose", "--yes",
			"--set", "phases.load.entities=100", "--set", "phases.peak.hold=false", "--workers", "4"}, row.target...)
		c := program(t, append(row.env, "SSL_CERT_FILE="+cert, "HTTPS_PROXY="), args...)
		c.Dir = folder
		var output bytes.Buffer
		c.Stdout, c.Stderr = &output, &output
		require.NoError(t, c.Start())
		if line, err := os.ReadFile("/proc/" + strconv.Itoa(c.Process.Pid) + "/cmdline"); err == nil {
			said[row.sentence+": the command line"] = string(line)
		}
		_ = c.Wait() // the code tells
		if code := c.ProcessState.ExitCode(); code != row.code {
			t.Errorf("%s: exit code %d; want %d\n%s", row.sentence, code, row.code, &output)
		}
		said[row.sentence+": what it says"] = output.String()
		addFiles(t, said, folder)
	}
	require.NoError(t, s.Close())
	said["the service's journal"] = journal.String()
	requests, err := os.ReadFile(filepath.Join(logs, "requests.log"))
	if said["the service's log"] = string(requests); err != nil || bytes.Count(requests, []byte("\n")) < 300 {
		t.Errorf("the log has %d lines, %v; want all of four runs", bytes.Count(requests, []byte("\n")), err)
	}
	assert.Truef(t, len(said) >= 30, "searched %d texts; want all of the records", len(said))
	query, err := url.ParseQuery(signature)
	require.NoError(t, err)
	for name, text := range said {
		for _, secret := range []string{planted, plantedHeader, plantedToken, plantedClient, query.Get("sig")} {
			for _, form := range []string{secret, url.QueryEscape(secret)} {
				assert.NotContainsf(t, text, form, "%s has a secret", name)
			}
		}
	}
}
