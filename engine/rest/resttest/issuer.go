package resttest

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// Issuer is a local OpenID Connect issuer with its own signing key.
type Issuer struct {
	*httptest.Server
	// Name is the issuer's URL, a path of the server.
	Name string
	Key  *rsa.PrivateKey
	// Asked counts the requests for its keys.
	Asked atomic.Int64
}

var issuersKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// NewIssuer returns an issuer.
func NewIssuer(t testing.TB) *Issuer {
	t.Helper()
	key, err := issuersKey()
	require.NoError(t, err)
	i := &Issuer{Key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/tenant/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": i.Name, "authorization_endpoint": i.Name + "/oauth2/authorize",
			"token_endpoint": i.Name + "/token", "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		i.Asked.Add(1)
		fmt.Fprintf(w, `{"keys":[{"kty":"RSA","kid":"one","use":"sig","alg":"RS256","n":%q,"e":"AQAB"}]}`,
			base64.RawURLEncoding.EncodeToString(i.Key.N.Bytes()))
	})
	i.Server = httptest.NewServer(mux)
	i.Name = i.URL + "/tenant"
	t.Cleanup(i.Close)
	return i
}

// Token returns a token for the service, signed with key. The claims override the defaults.
func (i *Issuer) Token(key *rsa.PrivateKey, expires time.Time, claims jwt.MapClaims) (string, error) {
	all := jwt.MapClaims{"iss": i.Name, "aud": "https://storage.azure.com", "exp": expires.Unix(), "sub": "somebody"}
	for name, value := range claims {
		all[name] = value
	}
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, all)
	token.Header["kid"] = "one"
	return token.SignedString(key)
}
