package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/wire"
)

// developmentKey is the published key of every emulator's account.
const developmentKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

func developmentSecret(t testing.TB) *wire.Secret {
	t.Helper()
	secret, err := wire.NewSecret(developmentKey)
	require.NoError(t, err, "NewSecret(the published key) fails")
	return secret
}

// tellsKey reports whether a text holds any four bytes of a key in a row, in a
// form in which they could be printed.
func tellsKey(text string, key []byte) bool {
	lower := strings.ToLower(text)
	for i := 0; i+4 <= len(key); i++ {
		part := key[i : i+4]
		for _, form := range []string{
			string(part), fmt.Sprintf("%x", part), fmt.Sprintf("% x", part), strings.Trim(fmt.Sprint(part), "[]"),
			strings.Trim(strings.TrimPrefix(fmt.Sprintf("%#v", part), "[]byte"), "{}"),
			strings.Trim(fmt.Sprintf("%o", part), "[]"), strings.Trim(fmt.Sprintf("%b", part), "[]"),
		} {
			if strings.Contains(lower, strings.ToLower(form)) {
				return true
			}
		}
	}
	for i := 0; i+5 <= len(developmentKey); i++ {
		if strings.Contains(text, developmentKey[i:i+5]) {
			return true
		}
	}
	return false
}

func TestSecretIsNeverShown(t *testing.T) {
	secret := developmentSecret(t)
	key, err := base64.StdEncoding.DecodeString(developmentKey)
	require.NoError(t, err)
	if !tellsKey(fmt.Sprint(key), key) || !tellsKey(fmt.Sprintf("%#v", key), key) || !tellsKey(fmt.Sprintf("%x", key), key) ||
		!tellsKey(developmentKey[9:20], key) {
		t.Fatal("this test would not see a key that is shown")
	}
	// The second field is beyond the reach of fmt's method calls.
	type holder struct {
		Key    *wire.Secret
		hidden wire.Secret
		inner  *wire.Secret
	}
	held := holder{secret, *secret, secret}
	what := &wire.Signable{Account: "devstoreaccount1"}
	secret.AppendAuthorization(nil, wire.SharedKey, what)
	for _, value := range []any{secret, *secret, &secret, held, &held, []*wire.Secret{secret}, []holder{held},
		map[string]holder{"a": held}, fmt.Errorf("broken: %v", secret)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%o", "%b", "%c", "%U", "%t", "%e", "%T", "%p", "%w"} {
			got := fmt.Sprintf(verb, value)
			assert.Truef(t, !tellsKey(got, key), "Sprintf(%s, %T) shows the key: %s", verb, value, got)
		}
		got, err := json.Marshal(value)
		assert.Truef(t, err != nil || !tellsKey(string(got), key), "json.Marshal(%T) shows the key: %s", value, got)
		got, err = xml.Marshal(value)
		assert.Truef(t, err != nil || !tellsKey(string(got), key), "xml.Marshal(%T) shows the key: %s", value, got)
		var log strings.Builder
		slog.New(slog.NewTextHandler(&log, nil)).Info("signed", "with", value)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("signed", "with", value)
		assert.Truef(t, !tellsKey(log.String(), key), "a log of %T shows the key: %s", value, log.String())
	}
	for _, got := range []string{secret.String(), secret.GoString(), fmt.Sprint(secret), fmt.Sprintf("%#v", *secret)} {
		assert.Equal(t, "(secret)", got, "a secret prints as")
	}
	if got, err := json.Marshal(struct{ Key wire.Secret }{*secret}); string(got) != `{"Key":"(secret)"}` {
		t.Errorf("json.Marshal of a secret = %s, %v; want that it hides", got, err)
	}
}

func TestNewSecretRefusesWithoutRepeating(t *testing.T) {
	for _, row := range []struct{ name, text string }{
		{"nothing", ""},
		{"no base64", "not/a key at all"},
		{"base64 cut short", developmentKey[:len(developmentKey)-3]},
		{"the URL's alphabet", "-_-_"},
	} {
		secret, err := wire.NewSecret(row.text)
		assert.Truef(t, secret == nil && errors.Is(err, wire.ErrSecret),
			"%s: NewSecret(%q) = %v, %v; want %v", row.name, row.text, secret, err, wire.ErrSecret)
		assert.Truef(t, row.text == "" || !strings.Contains(fmt.Sprint(err), row.text[:4]),
			"%s: NewSecret(%q) repeats it: %v", row.name, row.text, err)
	}
}
