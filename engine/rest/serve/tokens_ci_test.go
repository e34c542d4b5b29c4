//go:build ci

package serve_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/golang-jwt/jwt/v5"

	"loadgen/engine/rest/serve"
)

// tokens is an issuer of OpenID Connect, and a credential that has its tokens.
type tokens struct {
	*httptest.Server
	key      *rsa.PrivateKey
	audience string
	lasts    time.Duration
	scopes   []string
}

func newTokens(t *testing.T) *tokens {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &tokens{key: key, audience: "https://storage.azure.com", lasts: time.Hour}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(map[string]any{"issuer": i.URL, "authorization_endpoint": i.URL + "/oauth2/authorize", "token_endpoint": i.URL + "/token",
			"jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"keys":[{"kty":"RSA","kid":"one","use":"sig","alg":"RS256","n":%q,"e":"AQAB"}]}`, base64.RawURLEncoding.EncodeToString(key.N.Bytes()))
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// GetToken implements azcore.TokenCredential.
func (i *tokens) GetToken(_ context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	i.scopes = o.Scopes
	expires := time.Now().Add(i.lasts)
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{"iss": i.URL, "aud": i.audience, "exp": expires.Unix(), "sub": "somebody"})
	token.Header["kid"] = "one"
	text, err := token.SignedString(i.key)
	return azcore.AccessToken{Token: text, ExpiresOn: time.Now().Add(time.Hour)}, err
}

// aztablesAt is the SDK's client of a service that speaks https with a certificate of its own.
func aztablesAt(t *testing.T, s *shop, who azcore.TokenCredential) (*aztables.ServiceClient, *http.Client) {
	t.Helper()
	reply, err := http.Get(s.AdminURL() + serve.CertificatePath)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	pem, err := io.ReadAll(reply.Body)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		t.Fatalf("the certificate is %q, %v", pem, err)
	}
	over := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	t.Cleanup(over.CloseIdleConnections)
	client, err := aztables.NewServiceClient(s.URL(), who, &aztables.ClientOptions{ClientOptions: policy.ClientOptions{Transport: over, Retry: policy.RetryOptions{MaxRetries: -1}}})
	if err != nil {
		t.Fatal(err)
	}
	return client, over
}

// A program with a token credential is served: its tables, entities and transactions. With a
// token for another service, of an hour ago or of nobody it is told where tokens are to be
// had, as the service tells.
func TestAztablesWithATokenCredential(t *testing.T) {
	issuer := newTokens(t)
	s := open(t, serve.Options{TLSSelfSigned: true, OIDCIssuer: issuer.URL, Profile: "off"})
	client, over := aztablesAt(t, s, issuer)
	ctx := t.Context()
	if _, err := client.CreateTable(ctx, "Races", nil); err != nil {
		t.Fatal(err)
	}
	table := client.NewClient("Races")
	one := []byte(`{"PartitionKey":"p","RowKey":"1","Name":"Jones"}`)
	if _, err := table.AddEntity(ctx, one, nil); err != nil {
		t.Error(err)
	}
	if _, err := table.SubmitTransaction(ctx, []aztables.TransactionAction{{ActionType: aztables.TransactionTypeInsertMerge, Entity: one},
		{ActionType: aztables.TransactionTypeAdd, Entity: []byte(`{"PartitionKey":"p","RowKey":"2"}`)}}, nil); err != nil {
		t.Error(err)
	}
	found := 0
	for pages := table.NewListEntitiesPager(nil); pages.More(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		found += len(page.Entities)
	}
	if found != 2 || len(issuer.scopes) != 1 || issuer.scopes[0] != "https://storage.azure.com/.default" {
		t.Errorf("%d entities, with tokens for %v; want 2, for the service", found, issuer.scopes)
	}
	want := "Bearer authorization_uri=" + issuer.URL + "/oauth2/authorize resource_id=https://storage.azure.com"
	for _, row := range []struct {
		name, audience string
		lasts          time.Duration
	}{{"one for another service", "https://vault.azure.net", time.Hour}, {"one of an hour ago", issuer.audience, -time.Hour}} {
		other := *issuer
		other.audience, other.lasts = row.audience, row.lasts
		client, _ := aztablesAt(t, s, &other)
		_, err := client.CreateTable(ctx, "Others", nil)
		refused := new(azcore.ResponseError)
		if !errors.As(err, &refused) || refused.StatusCode != 401 || refused.ErrorCode != "InvalidAuthenticationInfo" || refused.RawResponse.Header.Get("WWW-Authenticate") != want {
			t.Errorf("%s: CreateTable = %v; want 401 InvalidAuthenticationInfo with %q", row.name, err, want)
		}
	}
	reply, err := over.Get(s.URL() + "/Tables")
	if err != nil {
		t.Fatal(err)
	}
	reply.Body.Close()
	if reply.StatusCode != 401 || reply.Header.Get("WWW-Authenticate") != want {
		t.Errorf("without a token: %d, WWW-Authenticate %q; want 401 and %q", reply.StatusCode, reply.Header.Get("WWW-Authenticate"), want)
	}
	s.wantJournal("bearer tokens of " + issuer.URL + " are taken")
}
