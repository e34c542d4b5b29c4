package fleet

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/nats-io/nkeys"

	"loadgen/engine/clock"
)

// minTokenLength and maxTokenLength bound a token, in characters. What is derived from one
// may be seen by whoever connects, and must not be guessed from that.
const minTokenLength, maxTokenLength = 32, 1024

// Token is the secret of a fleet. It prints as nothing of itself.
type Token struct{ secret string }

// String implements fmt.Stringer: a secret is not printed.
func (Token) String() string { return "(a secret)" }

// GoString implements fmt.GoStringer.
func (t Token) GoString() string { return t.String() }

// MarshalText implements encoding.TextMarshaler: a secret is not written.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// NewToken draws a token. Errors wrap [errToken].
func NewToken() (Token, error) {
	drawn := make([]byte, 32)
	if _, err := io.ReadFull(clock.Secrets(), drawn); err != nil {
		return Token{}, fmt.Errorf("%w: %w", errToken, err)
	}
	return Token{hex.EncodeToString(drawn)}, nil
}

// NewTokenOf takes a token as it was written. Errors wrap [errToken], and do not show it.
func NewTokenOf(text string) (Token, error) {
	text = strings.TrimSpace(text)
	if len(text) < minTokenLength || len(text) > maxTokenLength {
		return Token{}, fmt.Errorf("%w: it has %d characters; expected %d to %d, as `openssl rand -hex 32` gives", errToken, len(text), minTokenLength, maxTokenLength)
	}
	for _, c := range text {
		if c <= ' ' || c > '~' {
			return Token{}, fmt.Errorf("%w: expected letters, digits and punctuation only", errToken)
		}
	}
	return Token{text}, nil
}

// ofSecret is the mode that Kubernetes gives the file of a Secret for the group that a
// container runs as: nobody can write it, and its owner is nobody in there.
const ofSecret = 0o440

// ReadToken reads a token from a file that nobody but its owner can read, or that is the
// Secret of a container. Errors wrap [errToken].
func ReadToken(path string) (Token, error) {
	file, err := os.Open(path)
	if err != nil {
		return Token{}, fmt.Errorf("%w: %w", errToken, err)
	}
	defer file.Close()
	about, err := file.Stat()
	switch {
	case err != nil:
		return Token{}, fmt.Errorf("%w: %w", errToken, err)
	case about.IsDir():
		return Token{}, fmt.Errorf("%w: %s is a folder", errToken, path)
	case runtime.GOOS != "windows" && about.Mode().Perm()&0o077 != 0 && about.Mode().Perm() != ofSecret:
		return Token{}, fmt.Errorf("%w: others can read %s (%04o); chmod 600 it", errToken, path, about.Mode().Perm())
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTokenLength+2))
	if err != nil {
		return Token{}, fmt.Errorf("%w: %w", errToken, err)
	}
	token, err := NewTokenOf(string(text))
	if err != nil {
		return Token{}, fmt.Errorf("%s: %w", path, err)
	}
	return token, nil
}

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

// idLetters write an identity so that it is one word of a subject.
var idLetters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// idBytes is how much chance an identity has.
const idBytes = 16

// newID draws the identity of an end: nobody can guess that of another.
func newID() (string, error) {
	drawn := make([]byte, idBytes)
	if _, err := io.ReadFull(clock.Secrets(), drawn); err != nil {
		return "", err
	}
	return idLetters.EncodeToString(drawn), nil
}
