//go:build ci

package serve_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"

	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

// tokens is a credential that has the tokens of an issuer.
type tokens struct {
	*resttest.Issuer
	audience string
	lasts    time.Duration
	scopes   []string
}

// GetToken implements azcore.TokenCredential.
func (i *tokens) GetToken(_ context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	i.scopes = o.Scopes
	text, err := i.Token(i.Key, time.Now().Add(i.lasts), jwt.MapClaims{"aud": i.audience})
	return azcore.AccessToken{Token: text, ExpiresOn: time.Now().Add(time.Hour)}, err
}

// aztablesAt is the SDK's client of a service that speaks https with a certificate of its own.
func aztablesAt(t *testing.T, s *openService, who azcore.TokenCredential) (*aztables.ServiceClient, *http.Client) {
	t.Helper()
	_, cert := s.get(serve.CertificatePath)
	over := trusting(t, cert)
	client := must(aztables.NewServiceClient(s.URL(), who, &aztables.ClientOptions{ClientOptions: policy.ClientOptions{Transport: over, Retry: policy.RetryOptions{MaxRetries: -1}}}))(t)
	return client, over
}

// A program with a token credential is served: its tables, entities and transactions. With a
// token for another service, of an hour ago or of nobody it is told where tokens are to be
// had, as the service tells.
func TestAztablesWithATokenCredential(t *testing.T) {
	issuer := &tokens{Issuer: resttest.NewIssuer(t), audience: "https://storage.azure.com", lasts: time.Hour}
	s := open(t, serve.Options{TLS: serve.SelfSigned, Tokens: issuer.Name, Profile: "off"})
	client, over := aztablesAt(t, s, issuer)
	ctx := t.Context()
	must(client.CreateTable(ctx, "Races", nil))(t)
	table := client.NewClient("Races")
	one := []byte(`{"PartitionKey":"p","RowKey":"1","Name":"Jones"}`)
	must(table.AddEntity(ctx, one, nil))(t)
	must(table.SubmitTransaction(ctx, []aztables.TransactionAction{{ActionType: aztables.TransactionTypeInsertMerge, Entity: one},
		{ActionType: aztables.TransactionTypeAdd, Entity: []byte(`{"PartitionKey":"p","RowKey":"2"}`)}}, nil))(t)
	found := 0
	for pages := table.NewListEntitiesPager(nil); pages.More(); {
		page := must(pages.NextPage(ctx))(t)
		found += len(page.Entities)
	}
	assert.Truef(t, found == 2 && len(issuer.scopes) == 1 && issuer.scopes[0] == "https://storage.azure.com/.default",
		"%d entities, with tokens for %v; want 2, for the service", found, issuer.scopes)
	want := "Bearer authorization_uri=" + issuer.Name + "/oauth2/authorize resource_id=https://storage.azure.com"
	for _, row := range []struct {
		name, audience string
		lasts          time.Duration
	}{{"one for another service", "https://vault.azure.net", time.Hour}, {"one of an hour ago", issuer.audience, -time.Hour}} {
		other := *issuer
		other.audience, other.lasts = row.audience, row.lasts
		client, _ := aztablesAt(t, s, &other)
		_, err := client.CreateTable(ctx, "Others", nil)
		refused := new(azcore.ResponseError)
		assert.Truef(t, errors.As(err, &refused) && refused.StatusCode == 401 && refused.ErrorCode == "InvalidAuthenticationInfo" && refused.RawResponse.Header.Get("WWW-Authenticate") == want,
			"%s: CreateTable = %v; want 401 InvalidAuthenticationInfo with %q", row.name, err, want)
	}
	reply := must(over.Get(s.URL() + "/Tables"))(t)
	reply.Body.Close()
	assert.Truef(t, reply.StatusCode == 401 && reply.Header.Get("WWW-Authenticate") == want,
		"without a token: %d, WWW-Authenticate %q; want 401 and %q", reply.StatusCode, reply.Header.Get("WWW-Authenticate"), want)
	s.wantJournal("bearer tokens of " + issuer.Name + " are accepted")
}
