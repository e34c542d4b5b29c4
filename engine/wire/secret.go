package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash"
	"io"
	"sync"
)

// Secret is an account's key. Printing it in whatever way, or writing it as JSON
// or text, shows no part of it. It is made by [NewSecret], immutable and safe for
// concurrent use.
//
// Its methods have value receivers, so that a copy within another struct hides it too.
// Formatting functions cannot call the methods of an unexported field, but they follow
// pointers. The key is therefore behind a function, which they print as an address.
type Secret struct {
	signers func() *signerPool
}

const hidden = "(secret)"

// NewSecret returns the key that a base64 text holds; ErrSecret otherwise,
// without the text. No bytes at all are no key.
func NewSecret(text string) (*Secret, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) == 0 {
		return nil, ErrSecret
	}
	pool := &signerPool{key: key}
	return &Secret{func() *signerPool { return pool }}, nil
}

// String hides the key.
func (s Secret) String() string { return hidden }

// GoString hides the key.
func (s Secret) GoString() string { return hidden }

// Format hides the key, whatever the verb.
func (s Secret) Format(state fmt.State, _ rune) { io.WriteString(state, hidden) }

// MarshalJSON hides the key.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + hidden + `"`), nil }

// MarshalText hides the key.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Reveal returns the key in base64, for another client that signs by it. The caller keeps
// it out of every text.
func (s *Secret) Reveal() string { return base64.StdEncoding.EncodeToString(s.signers().key) }

// AppendAuthorization appends the value of the Authorization header:
// "SharedKeyLite account:signature". Once warm it allocates nothing but room
// for dst.
func (s *Secret) AppendAuthorization(dst []byte, scheme SigningScheme, what *Signable) []byte {
	signers := s.signers()
	sign := signers.get()
	defer signers.put(sign)
	dst = append(dst, scheme.String()...)
	dst = append(dst, ' ')
	dst = append(dst, what.Account...)
	dst = append(dst, ':')
	sign.text = what.AppendStringToSign(sign.text[:0], scheme)
	return base64.StdEncoding.AppendEncode(dst, sign.sum())
}

// Verify reports whether signature, in base64, is the key's over what; it takes
// the same time wherever they differ.
func (s *Secret) Verify(scheme SigningScheme, what *Signable, signature string) bool {
	return s.verify(signature, func(dst []byte) []byte { return what.AppendStringToSign(dst, scheme) })
}

// verify reports whether a signature is the key's over a text.
func (s *Secret) verify(signature string, appendText func(dst []byte) []byte) bool {
	signers := s.signers()
	sign := signers.get()
	defer signers.put(sign)
	if len(signature) != len(sign.encoded) {
		return false
	}
	copy(sign.encoded[:], signature)
	n, err := base64.StdEncoding.Strict().Decode(sign.decoded[:], sign.encoded[:])
	if err != nil || n != sha256.Size {
		return false
	}
	sign.text = appendText(sign.text[:0])
	return hmac.Equal(sign.decoded[:n], sign.sum())
}

// signerPool holds the key and hash states that have taken it in, for one
// request each: keying one costs as much as signing.
type signerPool struct {
	key  []byte
	free sync.Pool
}

func (p *signerPool) get() *signer {
	if sign, ok := p.free.Get().(*signer); ok {
		return sign
	}
	return &signer{mac: hmac.New(sha256.New, p.key)}
}

func (p *signerPool) put(sign *signer) { p.free.Put(sign) }

// encodedSum is the length of a signature in base64, encodedRoom that of the
// bytes which so long a text can decode to.
const (
	encodedSum  = (sha256.Size + 2) / 3 * 4
	encodedRoom = encodedSum / 4 * 3
)

// signer is a keyed hash state and the room that one signature needs.
type signer struct {
	mac     hash.Hash
	text    []byte
	digest  [sha256.Size]byte
	encoded [encodedSum]byte
	decoded [encodedRoom]byte
}

// sum returns the signature over the text; it is valid until the next one.
func (s *signer) sum() []byte {
	s.mac.Reset()
	s.mac.Write(s.text)
	return s.mac.Sum(s.digest[:0])
}
