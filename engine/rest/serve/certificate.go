package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"strings"
	"time"

	"loadgen/engine/clock"
)

// certificate is what a service shows over TLS; a nil one shows nothing and is plain
// HTTP. No error about one repeats anything of a key.
type certificate struct {
	pair tls.Certificate
	leaf *x509.Certificate
	own  bool
}

// certificates returns what is wrong with how the options say that TLS is to be spoken.
// It opens no file.
func (o *Options) certificates() error {
	if cert, key, _ := strings.Cut(o.TLS, ","); o.TLS == "" || o.TLS == SelfSigned || cert != "" && key != "" {
		return nil
	}
	return Fault{Field: "tls", Value: o.TLS, Err: errors.New("expected self-signed, or the files CERT,KEY")}
}

// maxPEMBytes bounds a file of certificates or a key, in bytes.
const maxPEMBytes = 1 << 20

// readCertificate reads a certificate, with those that lead from it to one that is
// trusted, and its key.
func readCertificate(now time.Time, files string) (*certificate, error) {
	certFile, keyFile, _ := strings.Cut(files, ",")
	cert, first, err := readPEM(certFile, "CERTIFICATE")
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(first)
	switch {
	case err != nil:
		err = fmt.Errorf("its first certificate cannot be read: %w", err)
	case now.After(leaf.NotAfter):
		err = fmt.Errorf("the certificate expired at %s", leaf.NotAfter.UTC().Format(time.RFC3339))
	case now.Before(leaf.NotBefore):
		err = fmt.Errorf("the certificate is not valid before %s", leaf.NotBefore.UTC().Format(time.RFC3339))
	}
	if err != nil {
		return nil, Fault{Field: "tls", Value: certFile, Err: err}
	}
	key, _, err := readPEM(keyFile, "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, Fault{Field: "tls", Value: keyFile, Err: fmt.Errorf("it is not the key of %s: %w", certFile, err)}
	}
	return &certificate{pair: pair, leaf: leaf}, nil
}

// readPEM reads a file in which there is a block of such a kind; it returns the first,
// too.
func readPEM(name, kind string) (text, first []byte, err error) {
	fail := func(err error) ([]byte, []byte, error) { return nil, nil, Fault{Field: "tls", Value: name, Err: err} }
	file, err := os.Open(name)
	if err != nil {
		return fail(err)
	}
	defer file.Close()
	text, err = io.ReadAll(io.LimitReader(file, maxPEMBytes+1))
	if err != nil {
		return fail(err)
	}
	if len(text) > maxPEMBytes {
		return fail(errors.New("the file is longer than 1 MiB; expected PEM"))
	}
	found := ""
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if strings.HasSuffix(block.Type, kind) {
			if strings.HasPrefix(block.Type, "ENCRYPTED") || block.Headers["DEK-Info"] != "" {
				return fail(errors.New("the key is encrypted"))
			}
			return text, block.Bytes, nil
		}
		found = ", and there is " + fmt.Sprintf("%.40q", block.Type)
	}
	return fail(fmt.Errorf("expected PEM with a block %q%s", kind, found))
}

// The life of a self-signed certificate: it begins a little before now, for clients whose
// clocks are behind.
const (
	certificateLead = time.Hour
	certificateLife = 365 * 24 * time.Hour
)

// selfSigned makes a certificate of this machine's names and of the host that is listened
// on. Its key is nowhere but in memory.
func selfSigned(now time.Time, host string) (*certificate, error) {
	chance := clock.Secrets()
	key, err := ecdsa.GenerateKey(elliptic.P256(), chance)
	if err != nil {
		return nil, err
	}
	serial := make([]byte, 15) // of at most 20, and positive
	if _, err := io.ReadFull(chance, serial); err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(append([]byte{1}, serial...)), Subject: pkix.Name{CommonName: "loadgen serve"},
		NotBefore: now.Add(-certificateLead), NotAfter: now.Add(certificateLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	template.DNSNames, template.IPAddresses = namesOf(host)
	encoded, err := x509.CreateCertificate(chance, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(encoded)
	if err != nil {
		return nil, err
	}
	return &certificate{tls.Certificate{Certificate: [][]byte{encoded}, PrivateKey: key, Leaf: leaf}, leaf, true}, nil
}

// namesOf returns by what clients may call a service that listens on a host: this
// machine's names for itself and that host, or where it listens on every address, all
// that this machine has.
func namesOf(host string) (names []string, addresses []net.IP) {
	names, addresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	ip := net.ParseIP(host)
	switch {
	case host == "" || ip != nil && ip.IsUnspecified():
		if name, err := os.Hostname(); err == nil && name != "localhost" {
			names = append(names, name)
		}
		all, _ := net.InterfaceAddrs() // of what cannot be looked at, none is named
		for _, one := range all {
			if network, ok := one.(*net.IPNet); ok && !network.IP.IsLoopback() {
				addresses = append(addresses, network.IP)
			}
		}
	case ip != nil && !ip.IsLoopback():
		addresses = append(addresses, ip)
	case ip == nil && host != "localhost":
		names = append(names, host)
	}
	return names, addresses
}
