package rest_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func TestTokensOfAnIssuer(t *testing.T) {
	t.Parallel()
	i := resttest.NewIssuer(t)
	clk := new(resttest.VirtualClock)
	subject := must(rest.DiscoverIssuer(t.Context(), i.Name, "races", clk, clock.Epoch(noon)))(t)
	stranger := must(rsa.GenerateKey(rand.Reader, 2048))(t)
	token := func(key *rsa.PrivateKey, claims jwt.MapClaims) string {
		text := must(i.Token(key, noon.Add(time.Hour), claims))(t)
		return text
	}
	good := token(i.Key, nil)
	unsigned, err := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims{"iss": i.Name, "aud": "https://storage.azure.com",
		"exp": noon.Add(time.Hour).Unix()}).SignedString(jwt.UnsafeAllowNoneSignatureType)
	require.NoError(t, err)
	for _, row := range []struct{ name, token, says string }{
		{"one of the issuer, for the service", good, ""},
		{"the same once more", good, ""},
		{"one with a slash behind its audience", token(i.Key, jwt.MapClaims{"aud": "https://storage.azure.com/"}), ""},
		{"one for the account alone, of two audiences", token(i.Key, jwt.MapClaims{"aud": []string{"x", "https://races.table.core.windows.net"}}), ""},
		{"one for another account", token(i.Key, jwt.MapClaims{"aud": "https://horses.table.core.windows.net"}), "audience"},
		{"one for another service", token(i.Key, jwt.MapClaims{"aud": "https://vault.azure.net"}), "audience"},
		{"one that has expired", token(i.Key, jwt.MapClaims{"exp": noon.Add(-time.Second).Unix()}), "expired at 2026-11-25T11:59:59Z"},
		{"one of another issuer", token(i.Key, jwt.MapClaims{"iss": "https://evil.example"}), "not one of"},
		{"one signed by a stranger", token(stranger, nil), "not signed by its keys"},
		{"one that nobody signed", unsigned, "not one of"},
		{"one with its signature cut off", good[:len(good)-4], "not one of"},
		{"one whose signature is another's", good[:len(good)-8] + "AAAAAAAA", "not one of"},
		{"no token", "x", "not one of"},
		{"nothing", "", "not one of"},
		{"one without end", strings.Repeat("x", 1<<20), "more than 16 KiB"},
	} {
		err := subject.Accept(t.Context(), row.token)
		if (err == nil) != (row.says == "") || err != nil && (!errors.Is(err, rest.ErrToken) || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: Accept = %v; want %q", row.name, err, row.says)
		}
		assert.Falsef(t, len(row.token) > 20 && strings.Contains(fmt.Sprint(err), row.token), "%s: the error repeats the token", row.name)
	}
	// One that was found good is no good any more once it has expired.
	clk.Set(time.Hour + time.Second)
	assert.ErrorIs(t, subject.Accept(t.Context(), good), rest.ErrToken, "an hour later Accept")
	assert.Equal(t, "Bearer authorization_uri="+i.Name+"/oauth2/authorize resource_id=https://storage.azure.com", subject.Challenge())
}

// The keys of an issuer are fetched once, and again at most once a minute, whatever tokens arrive.
func TestIssuerKeysAreFetchedOnceAMinute(t *testing.T) {
	i, clk := resttest.NewIssuer(t), new(resttest.VirtualClock)
	subject := must(rest.DiscoverIssuer(t.Context(), i.Name, "races", clk, clock.Epoch(noon)))(t)
	token := must(i.Token(i.Key, noon.Add(time.Hour), nil))(t)
	rotated := must(rsa.GenerateKey(rand.Reader, 2048))(t)
	newer := must(i.Token(rotated, noon.Add(time.Hour), nil))(t)
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 20 {
				assert.NoError(t, subject.Accept(context.Background(), token))
				assert.ErrorIs(t, subject.Accept(context.Background(), newer), rest.ErrToken)
			}
		})
	}
	wait.Wait()
	assert.EqualValues(t, 1, i.Asked.Load(), "fetches within a minute")
	i.Key = rotated
	clk.Set(time.Minute)
	// The key set may still hand out the reply of the last fetch while the goroutine that made it ends.
	require.Eventually(t, func() bool { return subject.Accept(context.Background(), newer) == nil }, 10*time.Second, time.Millisecond)
	for range 20 {
		assert.NoError(t, subject.Accept(context.Background(), newer))
	}
	assert.EqualValues(t, 2, i.Asked.Load(), "fetches within two minutes")
	i.Close()
	clk.Set(3 * time.Minute)
	stranger := must(rsa.GenerateKey(rand.Reader, 2048))(t)
	assert.ErrorIs(t, subject.Accept(t.Context(), must(i.Token(stranger, noon.Add(time.Hour), nil))(t)), rest.ErrToken)
	other := must(i.Token(rotated, noon.Add(2*time.Hour), nil))(t)
	assert.NoError(t, subject.Accept(t.Context(), other), "the issuer is gone, and its keys are known")
}

func TestIssuersThatAreNone(t *testing.T) {
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	other := resttest.NewIssuer(t)
	for _, row := range []struct{ name, issuer, says string }{
		{"no address", "nobody", "expected an address"},
		{"one in the clear that others reach", "http://login.example/tenant", "expected https://"},
		{"one with a password", "https://me:secret@login.example/", "expected an address"},
		{"a server without a configuration", empty.URL, "404"},
		{"nobody there", gone.URL, "cannot be asked"},
		{"one that calls itself otherwise", other.Name + "/", "issuer"},
	} {
		_, err := rest.DiscoverIssuer(t.Context(), row.issuer, "races", clock.NewReal(), clock.NewReal())
		assert.Truef(t, errors.Is(err, rest.ErrIssuer) && strings.Contains(err.Error(), row.says) && !strings.Contains(err.Error(), "\n") && !strings.Contains(err.Error(), "secret"),
			"%s: Discover = %v; want one line with %q", row.name, err, row.says)
	}
}

func TestAnyone(t *testing.T) {
	for token, good := range map[string]bool{"x": true, "": false, strings.Repeat("x", 1<<20): false} {
		assert.Equalf(t, good, (rest.AnyToken{}).Accept(t.Context(), token) == nil, "Accept of %d bytes", len(token))
	}
}
