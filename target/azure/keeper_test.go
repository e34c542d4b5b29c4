package azure_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	"loadgen/engine/entity"
	"loadgen/target"
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
		{"nobody has signed in", map[string]string{"AZURE_TOKEN_CREDENTIALS": "AzureCLICredential", "PATH": "/nowhere"}, "no credentials found; sign in (az login)"},
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

const (
	plantedSig = "x8Z+kD/2mQ7w+plantedsignature/9aJ0b3RzY2g="
	plantedKey = testKey
)

func plantedSAS() string {
	return "sv=2019-02-02&ss=t&srt=sco&sp=raud&sig=" + url.QueryEscape(plantedSig)
}

// needles are the forms in which a secret could show.
func needles() []string {
	return []string{plantedKey, plantedKey[:24], plainKey, plantedSig, plantedSig[:16], url.QueryEscape(plantedSig), url.PathEscape(plantedSig),
		"plantedsignature", fmt.Sprintf("%x", plantedSig), fmt.Sprintf("%x", plantedKey), fmt.Sprintf("%X", plainKey),
		strings.Trim(fmt.Sprint([]byte(plainKey)), "[]"), strings.Trim(fmt.Sprint([]byte(plantedSig)), "[]")}
}

func search(t *testing.T, where, text string) {
	t.Helper()
	for _, needle := range needles() {
		if at := strings.Index(text, needle); at >= 0 {
			t.Errorf("%s shows %q: %s", where, needle, text[max(0, at-200):min(len(text), at+200)])
		}
	}
}

// printed writes a value in every way that a program or a log is likely to.
func printed(value any) string {
	var text strings.Builder
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%e", "%p", "%U", "%10v", "%-10s", "%T", "%w"} {
		fmt.Fprintf(&text, format+"\n", value)
	}
	if encoded, err := json.Marshal(value); err == nil {
		text.Write(encoded)
	}
	fmt.Fprintln(&text, value)
	return text.String()
}

// endpoints holds an endpoint where fmt can call its methods and where not.
type endpoints struct {
	Shown  azure.Endpoint
	hidden azure.Endpoint
	behind *azure.Endpoint
	list   []azure.Endpoint
	named  map[string]any
}

func planted(t *testing.T, address string) []azure.Endpoint {
	t.Helper()
	return []azure.Endpoint{endpointAt(t, address), signedAt(address+";AccountName=races", plantedSAS())}
}

func TestPrintsShowNoSecret(t *testing.T) {
	for _, endpoint := range planted(t, "https://races.table.core.windows.net") {
		o := azure.Options{Endpoint: endpoint, Clock: clock.NewReal(), Calendar: clock.Epoch(epoch)}
		built := must(azure.New(o))
		defer built.Close()
		holder := endpoints{endpoint, endpoint, &endpoint, []azure.Endpoint{endpoint}, map[string]any{"e": endpoint}}
		for _, value := range []any{endpoint, &endpoint, o, &o, built, holder, &holder, []any{endpoint}, struct{ o azure.Options }{o}} {
			text := printed(value)
			search(t, fmt.Sprintf("%T", value), text)
			if _, plain := value.(azure.Endpoint); plain && !strings.Contains(text, "https://races.table.core.windows.net") {
				t.Errorf("an endpoint is printed as\n%s\nwant its address in it", text)
			}
		}
	}
}

// hostile are replies of servers that do their worst with what they are sent: of {line} and
// {request}. The connection ends after those without a length.
var hostile = map[string]string{
	"an error that repeats the request":   "400 Bad Request\n{said}",
	"a refusal that repeats the request":  "403 Forbidden\n{said}",
	"a transaction that repeats it":       "202 Accepted\n{said}",
	"an entity that repeats the request":  "200 OK\n{said}",
	"a code that repeats the request":     "409 Conflict\nx-ms-error-code: {line}\n\n",
	"a code that repeats the signature":   "409 Conflict\nx-ms-error-code: {signature}\n\n",
	"a server that repeats the request":   "403 No\nServer: {line}\n\n",
	"a status line that repeats it":       "599 {line}\n\n",
	"a redirection to itself":             "307 Again\nLocation: {line}\n\n",
	"a transaction of parts that are not": "202 OK\nContent-Type: multipart/mixed; boundary=x\n\n{line}",
	"a header without a colon":            "200 OK\n{line}\nContent-Length:0\n\n",
	"a body that breaks off":              "200 OK\nContent-Length: 9999\n\n{line}",
	"a length that is none":               "200 OK\nContent-Length: {line}\n\n",
	"an encoding that nobody knows of":    "200 OK\nTransfer-Encoding: {line}\nContent-Length: 0\n\n",
	"a request for an answer":             "",
	"a connection that is closed":         "",
}

// worst returns the answer of a hostile server.
func worst(name string) func(int, []byte) (string, bool) {
	said := "Content-Type: application/json\n\n" +
		`{"odata.error":{"code":"InvalidInput","message":{"lang":"en","value":"cannot serve {request}"}}}`
	return func(_ int, request []byte) (string, bool) {
		switch name {
		case "a request for an answer":
			return string(request), true
		case "a connection that is closed":
			return "", true
		}
		// The request line and headers hold the signature.
		plain := strings.NewReplacer("\r\n", " ", `"`, "'", "<", " ").Replace(string(request))
		text := strings.Replace(hostile[name], "{said}", said, 1)
		text = strings.NewReplacer("{request}", plain, "{line}", line(request), "{signature}", signatureOf(request)).Replace(text)
		return framed("HTTP/1.1 "+text, false), strings.Contains(hostile[name], "\nContent-Length:")
	}
}

// line returns the target of a request and its Authorization header.
func line(request []byte) string {
	_, target, _ := strings.Cut(string(request), " ")
	target, rest, _ := strings.Cut(target, " ")
	_, proof, _ := strings.Cut(rest, "Authorization: ")
	proof, _, _ = strings.Cut(proof, "\r\n")
	return target + " " + proof
}

// signatureOf returns the signature in the address of a request, if any.
func signatureOf(request []byte) string {
	_, signature, _ := strings.Cut(string(request), "sig=")
	return signature[:max(0, strings.IndexAny(signature, "& "))]
}

func TestFailuresShowNoSecret(t *testing.T) {
	t.Parallel()
	for name := range hostile {
		server := serve(t, worst(name))
		addresses := []string{server.url(), strings.Replace(server.url(), "http:", "https:", 1)}
		if name == "a connection that is closed" {
			addresses = append(addresses, "http://nowhere.invalid/races", "http://127.0.0.1:1/races")
		}
		for _, address := range addresses {
			for _, endpoint := range planted(t, address) {
				subject := open(t, azure.Options{Endpoint: endpoint})
				both := ways(subject)
				for n, op := range every() {
					outcome := both[[]string{"Do", "net/http"}[n%2]].Do(t.Context(), &op)
					search(t, fmt.Sprintf("%s: %v", name, op.Verb), printed(outcome))
					assert.Truef(t, !strings.ContainsAny(outcome.Detail, "\r\n") && len(outcome.Detail) <= 400,
						"%s: %v has the detail %q; want one short line", name, op.Verb, outcome.Detail)
				}
				service, err := subject.Probe(t.Context())
				search(t, name+": probe", printed(service)+printed(err))
				ended, cancel := context.WithCancel(context.Background())
				cancel()
				outcome := subject.Do(ended, &target.Operation{Verb: entity.Query, Table: "Runners"})
				search(t, name+": cancelled", printed(outcome))
			}
		}
	}
}
