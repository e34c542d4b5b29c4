package fleet

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"loadgen/engine/clock"
)

// minTokenLength and maxTokenLength bound a token, in characters. Everybody who connects may see values that are derived
// from it, and must not be able to guess it from them.
const minTokenLength, maxTokenLength = 32, 1024

// Token is the secret of a fleet. It never prints the secret.
type Token struct{ secret string }

// String implements fmt.Stringer without the secret.
func (Token) String() string { return "(a secret)" }

// GoString implements fmt.GoStringer without the secret.
func (t Token) GoString() string { return t.String() }

// NewToken returns a random token. Errors wrap [errToken].
func NewToken() (Token, error) {
	secret, err := random(32)
	return Token{secret}, err
}

// random returns random bytes in hexadecimal digits. Errors wrap [errToken].
func random(length int) (string, error) {
	drawn := make([]byte, length)
	if _, err := io.ReadFull(clock.Secrets(), drawn); err != nil {
		return "", fmt.Errorf("%w: %w", errToken, err)
	}
	return hex.EncodeToString(drawn), nil
}

// NewTokenOf returns the token with a text. Errors wrap [errToken], and do not show the text.
func NewTokenOf(text string) (Token, error) {
	text = strings.TrimSpace(text)
	if len(text) < minTokenLength || len(text) > maxTokenLength {
		return Token{}, fmt.Errorf("%w: it has %d characters; expected %d to %d, as `openssl rand -hex 32` gives", errToken, len(text), minTokenLength, maxTokenLength)
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return Token{}, fmt.Errorf("%w: expected letters, digits and punctuation only", errToken)
	}
	return Token{text}, nil
}

// secretMode is the mode of a Secret that Kubernetes mounts for the group of a container. It is read-only.
const secretMode = 0o440

// ReadToken reads a token from a file that only its owner can read, or from a mounted Secret. Errors wrap [errToken].
func ReadToken(path string) (Token, error) {
	text, err := readSecret(path)
	if err != nil {
		return Token{}, fmt.Errorf("%w: %w", errToken, err)
	}
	token, err := NewTokenOf(string(text))
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", path, err)
	}
	return token, nil
}

func readSecret(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 && info.Mode().Perm() != secretMode:
		return nil, fmt.Errorf("others can read %s (%04o); chmod 600 it", path, info.Mode().Perm())
	}
	return io.ReadAll(io.LimitReader(file, maxTokenLength+2))
}

// keys are derived from a token. Neither the token nor another key can be computed from one (HKDF, RFC 5869).
type keys struct {
	// run is the name of the fleet on a server.
	run string
	// join is the key of members, leader that of the leader's certificate.
	join, leader ed25519.PrivateKey
}

// keys derives the keys. Errors wrap [errToken].
func (t Token) keys() (k keys, err error) {
	derive := func(purpose string, length int) []byte {
		key, failed := hkdf.Key(sha256.New, []byte(t.secret), nil, "loadgen fleet 1: "+purpose, length)
		err = errors.Join(err, failed)
		return key
	}
	k.run = hex.EncodeToString(derive("name", 12))
	join, leader := derive("join", ed25519.SeedSize), derive("leader", ed25519.SeedSize)
	if err != nil {
		return k, fmt.Errorf("%w: %w", errToken, err)
	}
	k.join, k.leader = ed25519.NewKeyFromSeed(join), ed25519.NewKeyFromSeed(leader)
	return k, nil
}

// publicKey returns the public key that belongs to a key, as NATS writes it.
func publicKey(key ed25519.PrivateKey) string {
	text, _ := nkeys.Encode(nkeys.PrefixByteUser, key.Public().(ed25519.PublicKey)) // a key of another length would fail
	return string(text)
}

// signWith returns the option of a connection that signs the nonce of a server.
func signWith(key ed25519.PrivateKey) nats.Option {
	return nats.Nkey(publicKey(key), func(nonce []byte) ([]byte, error) { return ed25519.Sign(key, nonce), nil })
}

// idBytes is the number of random bytes of an identity, which is one word of a subject.
const idBytes = 16

// newID returns the identity of an end, which no other end can guess. Errors wrap [errToken].
func newID() (string, error) { return random(idBytes) }
