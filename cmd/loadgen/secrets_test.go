package main

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/require"
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
