package serve_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
)

// forged makes a certificate and its key in PEM, valid within these times of now.
func forged(t *testing.T, from, until time.Duration, names ...string) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(until), DNSNames: names}
	encoded, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: encoded})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain}))
}

// trusting returns a client that trusts a certificate alone.
func trusting(t *testing.T, cert string) *http.Client {
	t.Helper()
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(cert)) {
		t.Fatalf("%q is no certificate", cert)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestSelfSignedServiceIsTrustedByItsCertificate(t *testing.T) {
	s := open(t, serve.Options{TLSSelfSigned: true})
	if !strings.HasPrefix(s.URL(), "https://127.0.0.1:") || !strings.HasPrefix(s.ConnectionString(), "DefaultEndpointsProtocol=https;") ||
		!strings.Contains(s.ConnectionString(), ";TableEndpoint="+s.URL()+";") {
		t.Errorf("URL() = %s, ConnectionString() = %s; want https in both", s.URL(), s.ConnectionString())
	}
	status, cert := s.get("GET", s.AdminURL()+serve.CertificatePath)
	if status != http.StatusOK {
		t.Fatalf("GET %s = %d %s; want the certificate", serve.CertificatePath, status, cert)
	}
	client := trusting(t, cert)
	_, port, _ := net.SplitHostPort(strings.Split(strings.TrimPrefix(s.URL(), "https://"), "/")[0])
	for _, host := range []string{"127.0.0.1", "localhost"} {
		reply, err := client.Get("https://" + net.JoinHostPort(host, port) + "/" + emulators + "/Tables")
		if err != nil {
			t.Errorf("as %s: %v; want an answer", host, err)
			continue
		}
		_, _ = io.Copy(io.Discard, reply.Body)
		reply.Body.Close()
		if reply.StatusCode != http.StatusForbidden {
			t.Errorf("as %s: %d; want 403 for who shows no key", host, reply.StatusCode)
		}
	}
	if _, err := http.Get(s.URL() + "/Tables"); err == nil {
		t.Error("who does not know the certificate trusts it; want an error")
	}
	told := s.journal.String()
	if !strings.Contains(told, "self-signed") || !strings.Contains(told, "SHA-256 ") || strings.Contains(told, "another address") {
		t.Errorf("the journal = %q; want the certificate told, which fits", told)
	}
}

func TestServiceWithFilesOfACertificate(t *testing.T) {
	t.Chdir(t.TempDir())
	cert, key := forged(t, -time.Hour, time.Hour, "tables.example")
	put(t, map[string]string{"cert.pem": "words before\n" + cert, "key.pem": key})
	s := open(t, serve.Options{TLSCert: "cert.pem", TLSKey: "key.pem"})
	if told := s.journal.String(); !strings.Contains(told, "it is for tables.example, and not for 127.0.0.1") || strings.Contains(told, "self-signed") {
		t.Errorf("the journal = %q; want that the certificate is another name's", told)
	}
	if _, shown := s.get("GET", s.AdminURL()+serve.CertificatePath); shown != cert {
		t.Errorf("GET %s = %q; want the certificate and nothing else", serve.CertificatePath, shown)
	}
}

// A plain service has nothing of a certificate.
func TestPlainServiceShowsNoCertificate(t *testing.T) {
	s := open(t, serve.Options{})
	if status, _ := s.get("GET", s.AdminURL()+serve.CertificatePath); status != http.StatusNotFound || strings.Contains(s.journal.String(), "certificate") {
		t.Errorf("GET %s = %d, the journal %q; want nothing of a certificate", serve.CertificatePath, status, &s.journal)
	}
	s.want(entity.CreateTable, "Races", "", "")
}

func TestCertificatesWithFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	cert, key := forged(t, -time.Hour, time.Hour)
	_, other := forged(t, -time.Hour, time.Hour)
	expired, expiredKey := forged(t, -2*time.Hour, -time.Hour)
	future, futureKey := forged(t, time.Hour, 2*time.Hour)
	put(t, map[string]string{"cert.pem": cert, "key.pem": key, "other.pem": other, "expired.pem": expired, "expired-key.pem": expiredKey,
		"future.pem": future, "future-key.pem": futureKey, "words.pem": "nothing of that kind", "long.pem": strings.Repeat("x", 2<<20),
		"broken.pem": strings.Replace(cert, "\nMII", "\nAAA", 1), "broken-key.pem": strings.Replace(key, "\nM", "\nA", 1),
		"locked.pem": "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"})
	if err := os.Mkdir("folder.pem", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence string
		options  serve.Options
		says     string
	}{
		{"a certificate without a key", serve.Options{TLSCert: "cert.pem"}, "serve: tls-key: there is a certificate and no key"},
		{"a key without a certificate", serve.Options{TLSKey: "key.pem"}, "serve: tls-cert: there is a key and no certificate"},
		{"two certificates", serve.Options{TLSSelfSigned: true, TLSCert: "cert.pem", TLSKey: "key.pem"}, "serve: tls-self-signed: there is a certificate already"},
		{"a certificate that is not there", serve.Options{TLSCert: "none.pem", TLSKey: "key.pem"}, "serve: tls-cert none.pem: open none.pem: "},
		{"a key that is not there", serve.Options{TLSCert: "cert.pem", TLSKey: "none.pem"}, "serve: tls-key none.pem: open none.pem: "},
		{"a folder", serve.Options{TLSCert: "folder.pem", TLSKey: "key.pem"}, "serve: tls-cert folder.pem: "},
		{"a certificate of words", serve.Options{TLSCert: "words.pem", TLSKey: "key.pem"}, `serve: tls-cert words.pem: expected PEM with a block "CERTIFICATE"`},
		{"both the wrong way round", serve.Options{TLSCert: "key.pem", TLSKey: "cert.pem"}, `serve: tls-cert key.pem: expected PEM with a block "CERTIFICATE", and there is "PRIVATE KEY"`},
		{"a key that is a certificate", serve.Options{TLSCert: "cert.pem", TLSKey: "cert.pem"}, `serve: tls-key cert.pem: expected PEM with a block "PRIVATE KEY", and there is "CERTIFICATE"`},
		{"a key that is locked", serve.Options{TLSCert: "cert.pem", TLSKey: "locked.pem"}, "serve: tls-key locked.pem: the key is encrypted"},
		{"a file without end", serve.Options{TLSCert: "long.pem", TLSKey: "key.pem"}, "serve: tls-cert long.pem: the file is longer than 1 MiB"},
		{"another's key", serve.Options{TLSCert: "cert.pem", TLSKey: "other.pem"}, "serve: tls-key other.pem: it is not the key of cert.pem: "},
		{"a broken certificate", serve.Options{TLSCert: "broken.pem", TLSKey: "key.pem"}, "serve: tls-cert broken.pem: its first certificate cannot be read: "},
		{"a broken key, of which nothing is repeated", serve.Options{TLSCert: "cert.pem", TLSKey: "broken-key.pem"}, "serve: tls-key broken-key.pem: "},
		{"a certificate that expired", serve.Options{TLSCert: "expired.pem", TLSKey: "expired-key.pem"}, "serve: tls-cert expired.pem: the certificate expired at "},
		{"a certificate of tomorrow", serve.Options{TLSCert: "future.pem", TLSKey: "future-key.pem"}, "serve: tls-cert future.pem: the certificate is not valid before "},
	} {
		row.options.Listen, row.options.Export = "127.0.0.1:0", "all.csv"
		s, err := serve.Open(t.Context(), row.options)
		if err == nil {
			_ = s.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), row.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want one line that begins with %q", row.sentence, err, row.says)
		}
		if secret := strings.Split(key, "\n")[1][:20]; err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v repeats the key", row.sentence, err)
		}
		if _, err := os.Stat("all.csv.partial"); err == nil {
			t.Errorf("%s: an export was begun", row.sentence)
		}
	}
}

// The standard client of Go makes shared access signatures for https alone: over TLS they
// open what they say, over plain HTTP they are refused for the protocol.
func TestSignaturesForHTTPSAlone(t *testing.T) {
	for _, row := range []struct {
		options serve.Options
		code    string
	}{{serve.Options{TLSSelfSigned: true}, ""}, {serve.Options{}, "AuthorizationProtocolMismatch"}} {
		s := open(t, row.options)
		options := &aztables.ClientOptions{}
		options.InsecureAllowCredentialWithHTTP = true
		if row.options.TLSSelfSigned {
			_, cert := s.get("GET", s.AdminURL()+serve.CertificatePath)
			options.Transport = trusting(t, cert)
		}
		key, err := aztables.NewSharedKeyCredential(emulators, known)
		if err != nil {
			t.Fatal(err)
		}
		client, err := aztables.NewServiceClientWithSharedKey(s.URL(), key, options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.CreateTable(t.Context(), "Races", nil); err != nil {
			t.Fatalf("CreateTable at %s = %v; want no error", s.URL(), err)
		}
		url, err := client.GetAccountSASURL(aztables.AccountSASResourceTypes{Container: true, Object: true},
			aztables.AccountSASPermissions{Read: true, List: true}, time.Now().Add(-time.Minute), time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		// It is made for an address without a path: the account's is put where it belongs.
		_, query, _ := strings.Cut(url, "?")
		bearer, err := aztables.NewServiceClientWithNoCredential(s.URL()+"?"+query, options)
		if err != nil {
			t.Fatal(err)
		}
		_, err = bearer.NewListTablesPager(nil).NextPage(t.Context())
		code := ""
		if refused := new(azcore.ResponseError); errors.As(err, &refused) {
			code = refused.ErrorCode
		} else if err != nil {
			t.Fatal(err)
		}
		if code != row.code {
			t.Errorf("a signature for https at %s: %q; want %q", s.URL(), code, row.code)
		}
	}
}
