package fleet

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"math/big"
	"time"

	"github.com/nats-io/nkeys"

	"loadgen/engine/clock"
)

// derive returns bytes that follow from the token and a purpose, and from which neither the
// token nor those of another purpose can be found (HKDF, RFC 5869).
func (t Token) derive(purpose string, length int) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(t.secret), nil, "loadgen fleet 1: "+purpose, length)
}

// run is the name that a fleet has on a server: all of one token meet under it.
func (t Token) run() (string, error) {
	name, err := t.derive("name", 12)
	return hex.EncodeToString(name), err
}

// joinKey is what members sign with.
func (t Token) joinKey() (nkeys.KeyPair, error) {
	seed, err := t.derive("join", ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	return nkeys.FromRawSeed(nkeys.PrefixByteUser, seed)
}

// leaderKey is what the leader's certificate is signed with, and what it holds.
func (t Token) leaderKey() (ed25519.PrivateKey, error) {
	seed, err := t.derive("leader", ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// serverTLS is how a leader's own server shows that it has the token.
func (t Token) serverTLS() (*tls.Config, error) {
	key, err := t.leaderKey()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "loadgen fleet"},
		DNSNames:     []string{"loadgen-fleet"},
		// A token is thrown away sooner than a date matters, and clocks differ.
		NotBefore: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:  time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:  x509.KeyUsageDigitalSignature,
	}
	certificate, err := x509.CreateCertificate(clock.Secrets(), template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}, nil
}

// errOtherLeader is a server with a certificate that does not follow from the token.
var errOtherLeader = errors.New("the server has another token than this end")

// clientTLS trusts the leader of this token and nobody else, whatever it is called.
func (t Token) clientTLS() (*tls.Config, error) {
	key, err := t.leaderKey()
	if err != nil {
		return nil, err
	}
	want := key.Public().(ed25519.PublicKey)
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		// The name and the signer say nothing here. The key is compared below, and the
		// handshake has shown that the server holds it.
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) > 0 {
				if got, is := state.PeerCertificates[0].PublicKey.(ed25519.PublicKey); is && bytes.Equal(got, want) {
					return nil
				}
			}
			return errOtherLeader
		},
	}, nil
}
