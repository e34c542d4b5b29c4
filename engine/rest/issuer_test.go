package rest_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
)

// issuer is one of OpenID Connect on loopback, that signs with a key of its own.
type issuer struct {
	*httptest.Server
	key   *rsa.PrivateKey
	asked atomic.Int64
}

var oneKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := oneKey()
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/tenant/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL + "/tenant", "authorization_endpoint": i.URL + "/tenant/oauth2/authorize",
			"token_endpoint": i.URL + "/tenant/token", "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		i.asked.Add(1)
		fmt.Fprintf(w, `{"keys":[{"kty":"RSA","kid":"one","use":"sig","alg":"RS256","n":%q,"e":"AQAB"}]}`, jwtBytes(key.N.Bytes()))
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

func jwtBytes(b []byte) string {
	text, _ := json.Marshal(b)
	return strings.NewReplacer("+", "-", "/", "_", "=", "", `"`, "").Replace(string(text))
}

// token returns a signed one with these claims in the place of the usual.
func (i *issuer) token(t *testing.T, key *rsa.PrivateKey, claims jwt.MapClaims) string {
	t.Helper()
	all := jwt.MapClaims{"iss": i.URL + "/tenant", "aud": "https://storage.azure.com", "exp": noon.Add(time.Hour).Unix(), "sub": "somebody"}
	for name, value := range claims {
		all[name] = value
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, all)
	token.Header["kid"] = "one"
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// at is a clock that shows one time, and its calendar.
type at struct {
	clock.Clock
	now atomic.Int64
}

func (a *at) Now() clock.Instant { return clock.Instant(a.now.Load()) }

func TestTokensOfAnIssuer(t *testing.T) {
	i := newIssuer(t)
	clk := &at{Clock: clock.NewReal()}
	subject, err := rest.DiscoverIssuer(t.Context(), i.URL+"/tenant", "races", clk, clock.Epoch(noon))
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good := i.token(t, i.key, nil)
	unsigned, err := jwt.NewWithClaims(jwt.SigningMethodNone, jwt.MapClaims{"iss": i.URL + "/tenant", "aud": "https://storage.azure.com",
		"exp": noon.Add(time.Hour).Unix()}).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, token, says string }{
		{"one of the issuer, for the service", good, ""},
		{"the same once more", good, ""},
		{"one with a slash behind its audience", i.token(t, i.key, jwt.MapClaims{"aud": "https://storage.azure.com/"}), ""},
		{"one for the account alone, of two audiences", i.token(t, i.key, jwt.MapClaims{"aud": []string{"x", "https://races.table.core.windows.net"}}), ""},
		{"one for another account", i.token(t, i.key, jwt.MapClaims{"aud": "https://horses.table.core.windows.net"}), "audience"},
		{"one for another service", i.token(t, i.key, jwt.MapClaims{"aud": "https://vault.azure.net"}), "audience"},
		{"one that has expired", i.token(t, i.key, jwt.MapClaims{"exp": noon.Add(-time.Second).Unix()}), "expired at 2026-11-25T11:59:59Z"},
		{"one of another issuer", i.token(t, i.key, jwt.MapClaims{"iss": "https://evil.example"}), "not one of"},
		{"one signed by a stranger", i.token(t, stranger, nil), "not signed by its keys"},
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
		if len(row.token) > 20 && err != nil && strings.Contains(err.Error(), row.token) {
			t.Errorf("%s: the error repeats the token", row.name)
		}
	}
	// One that was found good is no good any more once it has expired.
	clk.now.Store(int64(time.Hour + time.Second))
	if err := subject.Accept(t.Context(), good); !errors.Is(err, rest.ErrToken) {
		t.Errorf("an hour later Accept = %v; want ErrToken", err)
	}
	if want := "Bearer authorization_uri=" + i.URL + "/tenant/oauth2/authorize resource_id=https://storage.azure.com"; subject.Challenge() != want {
		t.Errorf("Challenge() = %q; want %q", subject.Challenge(), want)
	}
}

// An issuer is asked for its keys once, however many ask at once with a good token.
func TestAnIssuerIsAskedOnce(t *testing.T) {
	i := newIssuer(t)
	subject, err := rest.DiscoverIssuer(t.Context(), i.URL+"/tenant", "races", &at{Clock: clock.NewReal()}, clock.Epoch(noon))
	if err != nil {
		t.Fatal(err)
	}
	token := i.token(t, i.key, nil)
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 100 {
				if err := subject.Accept(context.Background(), token); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if n := i.asked.Load(); n != 1 {
		t.Errorf("the issuer was asked for its keys %d times; want once", n)
	}
}

func TestIssuersThatAreNone(t *testing.T) {
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	other := newIssuer(t)
	for _, row := range []struct{ name, issuer, says string }{
		{"no address", "nobody", "expected an address"},
		{"one in the clear that others reach", "http://login.example/tenant", "expected https://"},
		{"one with a password", "https://me:secret@login.example/", "expected an address"},
		{"a server without a configuration", empty.URL, "404"},
		{"nobody there", gone.URL, "cannot be asked"},
		{"one that calls itself otherwise", other.URL + "/tenant/", "issuer"},
	} {
		_, err := rest.DiscoverIssuer(t.Context(), row.issuer, "races", clock.NewReal(), clock.NewReal())
		if !errors.Is(err, rest.ErrIssuer) || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: Discover = %v; want one line with %q", row.name, err, row.says)
		}
	}
}

func TestAnyone(t *testing.T) {
	for token, good := range map[string]bool{"x": true, "": false, strings.Repeat("x", 1<<20): false} {
		if err := (rest.AnyToken{}).Accept(t.Context(), token); (err == nil) != good {
			t.Errorf("Accept of %d bytes = %v; want good %t", len(token), err, good)
		}
	}
}
