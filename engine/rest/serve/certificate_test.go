package serve_test

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest/serve"
	"loadgen/target"
)

// forged makes a certificate and its key in PEM, valid within these times of now.
func forged(t *testing.T, from, until time.Duration, names ...string) (cert, key string) {
	t.Helper()
	secret := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(until), DNSNames: names}
	encoded := must(x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret))(t)
	plain := must(x509.MarshalPKCS8PrivateKey(secret))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: encoded})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain}))
}

// trusting returns a client that trusts a certificate alone.
func trusting(t *testing.T, cert string) *http.Client {
	t.Helper()
	trusted := x509.NewCertPool()
	require.Truef(t, trusted.AppendCertsFromPEM([]byte(cert)), "%q is no certificate", cert)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestSelfSignedServiceIsTrustedByItsCertificate(t *testing.T) {
	s := open(t, serve.Options{TLS: serve.SelfSigned})
	assert.Contains(t, s.URL(), "https://127.0.0.1:")
	assert.Contains(t, s.ConnectionString(), "DefaultEndpointsProtocol=https;")
	status, cert := s.get(serve.CertificatePath)
	require.Equalf(t, http.StatusOK, status, "GET %s = %s", serve.CertificatePath, cert)
	client := trusting(t, cert)
	_, port, _ := net.SplitHostPort(strings.Split(strings.TrimPrefix(s.URL(), "https://"), "/")[0])
	for _, host := range []string{"127.0.0.1", "localhost"} {
		reply := must(client.Get("https://" + net.JoinHostPort(host, port) + "/" + emulators + "/Tables"))(t)
		reply.Body.Close()
		assert.Equalf(t, http.StatusForbidden, reply.StatusCode, "as %s", host)
	}
	_, err := http.Get(s.URL() + "/Tables")
	assert.Error(t, err, "a client without the certificate")
	s.wantJournal("self-signed", "SHA-256 ")
}

func TestServiceWithFilesOfACertificate(t *testing.T) {
	t.Chdir(t.TempDir())
	cert, key := forged(t, -time.Hour, time.Hour, "tables.example")
	put(t, map[string]string{"cert.pem": "words before\n" + cert, "key.pem": key})
	s := open(t, serve.Options{TLS: "cert.pem,key.pem"})
	s.wantJournal("it is valid for tables.example, not 127.0.0.1")
	_, shown := s.get(serve.CertificatePath)
	assert.Equal(t, cert, shown, "the certificate that is shown")
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
	require.NoError(t, os.Mkdir("folder.pem", 0o700))
	for _, row := range []struct {
		sentence, cert, key, says string
	}{
		{"a certificate without a key", "cert.pem", "", "CERT,KEY"},
		{"a key without a certificate", "", "key.pem", "CERT,KEY"},
		{"a certificate that is not there", "none.pem", "key.pem", "none.pem: open none.pem"},
		{"a key that is not there", "cert.pem", "none.pem", "none.pem: open none.pem"},
		{"a folder", "folder.pem", "key.pem", "folder.pem"},
		{"a certificate of words", "words.pem", "key.pem", `"CERTIFICATE"`},
		{"both the wrong way round", "key.pem", "cert.pem", `"CERTIFICATE", and there is "PRIVATE KEY"`},
		{"a key that is a certificate", "cert.pem", "cert.pem", `"PRIVATE KEY", and there is "CERTIFICATE"`},
		{"a key that is locked", "cert.pem", "locked.pem", "encrypted"},
		{"a file without end", "long.pem", "key.pem", "1 MiB"},
		{"another's key", "cert.pem", "other.pem", "not the key of cert.pem"},
		{"a broken certificate", "broken.pem", "key.pem", "broken.pem"},
		{"a broken key, of which nothing is repeated", "cert.pem", "broken-key.pem", "broken-key.pem"},
		{"a certificate that expired", "expired.pem", "expired-key.pem", "expired at "},
		{"a certificate of tomorrow", "future.pem", "future-key.pem", "not valid before "},
	} {
		err := wantFault(t, row.sentence, serve.Options{TLS: row.cert + "," + row.key, Export: "all.csv"}, "tls", row.says)
		assert.NotContainsf(t, err.Error(), strings.Split(key, "\n")[1][:20], "%s: the error repeats the key", row.sentence)
		assert.NoFileExists(t, "all.csv.partial", row.sentence)
	}
}

// Each kind of fault reaches a client over the wire as what it is, at the key alone that it
// is for, and what was carried out is there.
func TestFaultsOnTheWire(t *testing.T) {
	const late = 30 * time.Millisecond
	refused := func(status int, code entity.Code) target.Outcome { return target.Outcome{Status: status, Code: code} }
	lost := target.Outcome{Fault: target.ConnectionClosed}
	cut := target.Outcome{Fault: target.ReplyCutOff}
	written, read := target.Outcome{Status: 204}, target.Outcome{Status: 200}
	for _, row := range []struct {
		says        string
		rule        engine.FaultRule
		insert, get target.Outcome
		// entities are there in the end, that of another key among them.
		entities int64
		takes    time.Duration
	}{
		{"503", engine.FaultRule{Kind: engine.FaultRefuse}, refused(503, entity.ServerBusy), refused(503, entity.ServerBusy), 1, 0},
		{"500 after a while", engine.FaultRule{Kind: engine.FaultRefuse, Code: entity.OperationTimedOut, By: late},
			refused(500, entity.OperationTimedOut), refused(500, entity.OperationTimedOut), 1, late},
		{"another 500", engine.FaultRule{Kind: engine.FaultRefuse, Code: entity.InternalError},
			refused(500, entity.InternalError), refused(500, entity.InternalError), 1, 0},
		{"lost before", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultBefore}, lost, lost, 1, 0},
		{"lost after", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, By: late}, lost, lost, 2, late},
		{"half of a body, and nothing of what has none", engine.FaultRule{Kind: engine.FaultCut}, lost, cut, 2, 0},
		{"late", engine.FaultRule{Kind: engine.FaultDelay, By: late}, written, read, 2, late},
		{"in drops", engine.FaultRule{Kind: engine.FaultDrip, By: late}, written, read, 2, late},
		{"frozen", engine.FaultRule{Kind: engine.FaultFreeze, To: 3 * late}, written, read, 2, 0},
	} {
		t.Run(row.says, func(t *testing.T) {
			t.Parallel()
			row.rule.Key, row.rule.Share, row.rule.To = "p", engine.WholeShare, cmp.Or(row.rule.To, time.Hour)
			var mu sync.Mutex
			seen := make(map[string]int)
			s := open(t, serve.Options{Profile: model.Off, Faults: &engine.FaultPlan{Rules: []engine.FaultRule{row.rule}}, Observe: func(one *accesslog.Observed) {
				mu.Lock()
				defer mu.Unlock()
				if one.Injected != "" {
					seen[one.Injected]++
				}
			}})
			s.Must(entity.CreateTable, "Races", "", "")
			for i, want := range []target.Outcome{row.insert, row.get} {
				verb, began := []entity.Verb{entity.Insert, entity.Get}[i], time.Now()
				got := s.Try(verb, "Races", "p", "1")
				assert.Truef(t, got.Status == want.Status && got.Code == want.Code && got.Fault == want.Fault,
					"the %v came to %d %s %s; want %d %s %s", verb, got.Status, got.Code, got.Fault, want.Status, want.Code, want.Fault)
				assert.GreaterOrEqualf(t, time.Since(began), row.takes, "the %v took", verb)
			}
			s.Must(entity.Insert, "Races", "other", "1")
			// A query of the whole table is about no one key.
			assert.Equal(t, row.entities, s.Send(&target.Operation{Verb: entity.Query, Table: "Races"}).Returned,
				"entities are there")
			mu.Lock()
			defer mu.Unlock()
			if row.rule.Kind != engine.FaultFreeze { // which may be over by now
				assert.Equal(t, map[string]int{row.rule.Kind.String(): 2}, seen, "the faults that the service saw")
			}
		})
	}
}
