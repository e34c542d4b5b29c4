package azure_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/target/azure"
)

// plantedHeader is the secret that a managed identity's endpoint wants to see.
const plantedHeader = "planted-identity-header-7f3a"

// endpoint is that of a managed identity, as App Service has it. Tokens are numbered.
type endpoint struct {
	// lasts is how long tokens last.
	lasts time.Duration
	// refuses is the status of a refusal, 0 for none; strangers came without the secret.
	refuses, given, strangers atomic.Int64
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-IDENTITY-HEADER") != plantedHeader {
		e.strangers.Add(1)
	}
	w.Header().Set("Content-Type", "application/json")
	if status := int(e.refuses.Load()); status != 0 {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":"invalid_request","error_description":"AADSTS700016: no application of that name, %s. Trace ID: 1"}`, plantedHeader)
		return
	}
	fmt.Fprintf(w, `{"access_token":"token-%d","expires_on":"%d","resource":%q,"token_type":"Bearer"}`,
		e.given.Add(1), time.Now().Add(e.lasts).Unix(), r.URL.Query().Get("resource"))
}

// direct carries requests to the endpoint without a network.
type direct struct{ to http.Handler }

func (d direct) Do(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.to.ServeHTTP(w, r)
	return w.Result(), nil
}

// managed returns a managed identity whose endpoint is e, for a scope that no other test has.
func managed(t *testing.T, e *endpoint, scope string) *azure.Credential {
	t.Setenv("IDENTITY_ENDPOINT", "http://127.0.0.1/token")
	t.Setenv("IDENTITY_HEADER", plantedHeader)
	get, err := azidentity.NewManagedIdentityCredential(&azidentity.ManagedIdentityCredentialOptions{
		ClientOptions: policy.ClientOptions{Transport: direct{e}, Retry: policy.RetryOptions{MaxRetries: -1}}})
	require.NoError(t, err)
	return azure.NewCredential(scope, get)
}

// newKeeper returns a keeper in real time, closed when the test ends.
func newKeeper(t *testing.T, who *azure.Credential) *azure.TokenKeeper {
	clk := clock.NewReal()
	k := azure.NewTokenKeeper(who, clk, clk)
	t.Cleanup(k.Close)
	return k
}

// Over a day tokens of an hour are got one after another, each before the last has expired,
// and never by whoever sends a request; a token that is at hand is never one that expired.
func TestTokensAreRefreshedBeforeTheyExpire(t *testing.T) {
	e := &endpoint{lasts: time.Hour}
	who := managed(t, e, "https://one.example/.default")
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t, who)
		assert.True(t, k.Token() == nil, "there is a token before anybody asked for one")
		first, err := k.Ready(t.Context())
		require.Truef(t, err == nil && first.Header() == "Bearer token-1", "Ready = %v, %v; want the first token", first, err)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			text := fmt.Sprintf(verb+" "+verb, first, who)
			assert.NotContains(t, text, "token-1", verb)
		}
		began := time.Now()
		for minute := range 24 * 60 {
			time.Sleep(time.Until(began.Add(time.Duration(minute) * time.Minute)))
			synctest.Wait()
			// Token n was given n−1 times an hour less the lead after the first, at the latest.
			var number int
			fmt.Sscanf(k.Token().Header(), "Bearer token-%d", &number)
			if given := time.Duration(number-1) * 55 * time.Minute; time.Since(began) >= given+time.Hour+5*time.Minute {
				t.Fatalf("after %v the token at hand is the %dth", time.Since(began), number)
			}
		}
		assert.InDelta(t, 26.5, e.given.Load(), 0.5, "tokens in a day, one each 55 minutes or so")
		assert.Zero(t, e.strangers.Load(), "requests of a token without the endpoint's secret")
	})
}

// While none is to be had the token at hand goes on, and it is tried again.
func TestARefreshThatFailsIsTriedAgain(t *testing.T) {
	e := &endpoint{lasts: time.Hour}
	who := managed(t, e, "https://two.example/.default")
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper(t, who)
		must(k.Ready(t.Context()))
		e.refuses.Store(http.StatusInternalServerError)
		time.Sleep(56 * time.Minute)
		synctest.Wait()
		if got := k.Token().Header(); got != "Bearer token-1" || k.Cause() != nil {
			t.Errorf("while none is to be had the token is %q, barred for %v; want the first still", got, k.Cause())
		}
		e.refuses.Store(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, "Bearer token-2", k.Token().Header(), "the token, a minute after tokens are to be had again")
	})
}

// A token that the service refuses is got once anew, although whoever gives them has kept
// it; once that is refused as well, nobody is asked any more.
func TestARefusedTokenIsGotOnceAnew(t *testing.T) {
	e := &endpoint{lasts: time.Hour}
	server := httptest.NewServer(e)
	defer server.Close()
	t.Setenv("IDENTITY_ENDPOINT", server.URL)
	t.Setenv("IDENTITY_HEADER", plantedHeader)
	t.Setenv("AZURE_TOKEN_CREDENTIALS", "ManagedIdentityCredential")
	who := must(azure.DefaultCredential(azure.TokenScope("races.table.core.windows.net", false)))
	k := newKeeper(t, who)
	first := must(k.Ready(t.Context()))
	var wait sync.WaitGroup
	var second atomic.Pointer[azure.Token]
	for range 8 { // as many as have met the refusal get the same other token
		wait.Go(func() {
			next, err := k.Renew(t.Context(), first)
			assert.Truef(t, err == nil && next.Header() == "Bearer token-2", "Renew = %v, %v; want the second token", next, err)
			second.Store(next)
		})
	}
	wait.Wait()
	require.EqualValues(t, 2, e.given.Load(), "tokens were given")
	k.Refused(second.Load())
	<-k.Barred()
	if _, err := k.Renew(t.Context(), second.Load()); !errors.Is(err, azure.ErrTokenRefused) || !errors.Is(k.Cause(), azure.ErrTokenRefused) {
		t.Errorf("Renew of the second = %v, Cause = %v; want ErrRefused", err, k.Cause())
	}
	assert.EqualValues(t, 2, e.given.Load(), "tokens were given")
}

// Why there is no token is one line that says what to do, without any secret, and soon.
func TestWhyThereIsNoToken(t *testing.T) {
	e := new(endpoint)
	e.refuses.Store(http.StatusBadRequest)
	refusing := httptest.NewServer(e)
	defer refusing.Close()
	for _, row := range []struct {
		name string
		env  map[string]string
		says string
	}{
		{"a managed identity that refuses", map[string]string{"AZURE_TOKEN_CREDENTIALS": "ManagedIdentityCredential", "IDENTITY_ENDPOINT": refusing.URL, "IDENTITY_HEADER": plantedHeader},
			"the request was answered 400: AADSTS700016"},
		{"nobody has signed in", map[string]string{"AZURE_TOKEN_CREDENTIALS": "AzureCLICredential", "PATH": "/nowhere"}, "nothing here gives one; sign in (az login)"},
		{"a choice that is none", map[string]string{"AZURE_TOKEN_CREDENTIALS": "anybody"}, "AZURE_TOKEN_CREDENTIALS"},
	} {
		t.Run(row.name, func(t *testing.T) {
			for name, value := range row.env {
				t.Setenv(name, value)
			}
			who, err := azure.DefaultCredential("https://three.example/.default")
			if err == nil {
				_, err = newKeeper(t, who).Ready(t.Context())
			}
			assert.Truef(t, errors.Is(err, azure.ErrNoToken) && strings.Contains(err.Error(), row.says) &&
				!strings.Contains(err.Error(), "\n") && !strings.Contains(err.Error(), plantedHeader),
				"%v; want one line with %q", err, row.says)
		})
	}
}

// Nobody waits for a token for ever, and closing waits for nobody.
func TestWhoeverGivesNoTokenIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := newKeeper(t, azure.NewCredential("x", silent{})).Ready(t.Context())
		if took := time.Since(began); !errors.Is(err, azure.ErrNoToken) || took != 10*time.Second {
			t.Errorf("Ready = %v after %v; want ErrNoToken after 10 s", err, took)
		}
	})
}

type silent struct{}

func (silent) GetToken(ctx context.Context, _ policy.TokenRequestOptions) (azcore.AccessToken, error) {
	<-ctx.Done()
	return azcore.AccessToken{}, ctx.Err()
}

func TestScopes(t *testing.T) {
	for _, row := range []struct {
		host   string
		cosmos bool
		want   string
	}{
		{"races.table.core.windows.net", false, "https://storage.azure.com/.default"},
		{"tables.example.org", false, "https://storage.azure.com/.default"},
		{"races.table.cosmos.azure.com", true, "https://cosmos.azure.com/.default"},
		{"RACES.table.cosmos.AZURE.cn:443", true, "https://cosmos.azure.cn/.default"},
		{"races.table.cosmos.azure.us", true, "https://cosmos.azure.us/.default"},
	} {
		assert.Equalf(t, row.want, azure.TokenScope(row.host, row.cosmos), "TokenScope(%s)", row.host)
	}
}
