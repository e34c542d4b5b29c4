package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"loadgen/engine/clock"
)

var (
	// ErrIssuer is wrapped where an issuer cannot be used.
	ErrIssuer = errors.New("no issuer of OpenID Connect")
	// ErrToken is wrapped for tokens that are not accepted. Its text repeats no part of the token.
	ErrToken = errors.New("the token is not accepted")
)

// resource is what tokens have to be for, as Azure Storage has it in all clouds.
const resource = "https://storage.azure.com"

// Issuer accepts the tokens of one issuer: signature, issuer, audience and expiry are
// checked, a token that was found good once by its expiry alone. It is safe for
// concurrent use.
type Issuer struct {
	issuer, authorize string
	audiences         []string
	verifier          *oidc.IDTokenVerifier
	now               func() time.Time

	// verifying serializes checks of unknown tokens, and with them requests for the issuer's keys.
	verifying sync.Mutex
	mu        sync.Mutex
	// known are tokens that were found good, by their digest, with their expiry.
	known map[[sha256.Size]byte]time.Time
}

// The bounds of what is kept, of a token's length, and of one request to the issuer.
const (
	maxKnown      = 256
	maxTokenBytes = 16 << 10
	issuerLimit   = 4 * time.Second
)

// DiscoverIssuer asks an issuer for its keys. Tokens have to be for Azure Storage or for the account.
// The error wraps [ErrIssuer] and is one line.
func DiscoverIssuer(ctx context.Context, issuer, account string, clk clock.Clock, calendar clock.Calendar) (*Issuer, error) {
	if err := CheckIssuerURL(issuer); err != nil {
		return nil, err
	}
	ctx = oidc.ClientContext(ctx, &http.Client{Timeout: issuerLimit,
		Transport: &issuerDocuments{clock: clk, copies: make(map[string]*issuerCopy)}})
	provider, err := oidc.NewProvider(ctx, issuer)
	var asked *url.Error
	switch {
	case errors.As(err, &asked):
		return nil, fmt.Errorf("%w: it cannot be asked: %s", ErrIssuer, asked.Err.Error())
	case err != nil:
		text, _, _ := strings.Cut(err.Error(), "\n")
		const most = 200
		return nil, fmt.Errorf("%w: %s", ErrIssuer, strings.ToValidUTF8(text[:min(len(text), most)], ""))
	}
	i := &Issuer{issuer: issuer, authorize: provider.Endpoint().AuthURL, known: make(map[[sha256.Size]byte]time.Time),
		audiences: []string{resource, "https://" + account + ".table.core.windows.net"},
		now:       func() time.Time { return calendar.Date(clk.Now()) }}
	if i.authorize == "" {
		i.authorize = strings.TrimRight(issuer, "/") + "/oauth2/authorize"
	}
	i.verifier = provider.Verifier(&oidc.Config{SkipClientIDCheck: true, Now: i.now})
	return i, nil
}

// CheckIssuerURL says whether a text can be an issuer: an address of https, or of this machine. The
// error wraps [ErrIssuer].
func CheckIssuerURL(issuer string) error {
	address, err := url.Parse(issuer)
	if err != nil || address.Host == "" || address.User != nil || address.RawQuery != "" || address.Fragment != "" {
		return fmt.Errorf("%w: expected an address such as https://sts.windows.net/TENANT/", ErrIssuer)
	}
	host := address.Hostname()
	local := host == "localhost" || net.ParseIP(host).IsLoopback()
	if address.Scheme != "https" && !(address.Scheme == "http" && local) {
		return fmt.Errorf("%w: expected https://", ErrIssuer)
	}
	return nil
}

// Accept returns nil for a token that is good, and otherwise why it is not, in an error that
// wraps [ErrToken].
func (i *Issuer) Accept(ctx context.Context, token string) error {
	if len(token) > maxTokenBytes {
		return fmt.Errorf("%w: it has more than %d KiB", ErrToken, maxTokenBytes>>10)
	}
	digest := sha256.Sum256([]byte(token))
	if i.knows(digest) {
		return nil
	}
	i.verifying.Lock()
	defer i.verifying.Unlock()
	if i.knows(digest) {
		return nil
	}
	good, err := i.verifier.Verify(ctx, token)
	var expired *oidc.TokenExpiredError
	switch {
	case errors.As(err, &expired):
		return fmt.Errorf("%w: it expired at %s", ErrToken, expired.Expiry.UTC().Format(time.RFC3339))
	case err != nil:
		return fmt.Errorf("%w: it is not one of %s, or not signed by its keys", ErrToken, i.issuer)
	case !slices.ContainsFunc(good.Audience, func(one string) bool { return slices.Contains(i.audiences, strings.TrimRight(one, "/")) }):
		return fmt.Errorf("%w: its audience is not %s", ErrToken, resource)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.known) >= maxKnown {
		clear(i.known)
	}
	i.known[digest] = good.Expiry
	return nil
}

func (i *Issuer) knows(digest [sha256.Size]byte) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	expiry, known := i.known[digest]
	return known && i.now().Before(expiry)
}

// Challenge returns what a request without a good token is answered in WWW-Authenticate.
func (i *Issuer) Challenge() string { return challenge(i.authorize) }

// challenge is of the form in which the service has it: a list without quotes and commas.
func challenge(authorize string) string {
	return "Bearer authorization_uri=" + authorize + " resource_id=" + resource
}

// AnyToken accepts whatever is a token, from anybody.
type AnyToken struct{}

// anywhere is the address of tokens if any token is accepted: a tenant that does not exist.
const anywhere = "https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/oauth2/authorize"

// Accept returns an error that wraps [ErrToken] for an empty token and for one that is
// longer than any, nil for all others.
func (AnyToken) Accept(_ context.Context, token string) error {
	if token == "" || len(token) > maxTokenBytes {
		return fmt.Errorf("%w: it is empty, or has more than %d KiB", ErrToken, maxTokenBytes>>10)
	}
	return nil
}

// Challenge returns what a request without a token is answered in WWW-Authenticate.
func (AnyToken) Challenge() string { return challenge(anywhere) }

// The bounds of requests for an issuer's documents: the time between two requests for one of them, the time after a
// failure while there is no copy, and the size.
const (
	issuerRefresh  = time.Minute
	issuerRetry    = time.Second
	maxIssuerBytes = 1 << 20
)

// issuerDocuments is a transport that answers requests for the documents of an issuer from a copy, which it refreshes at
// most once in [issuerRefresh]: a token with an unknown key id makes the verifier ask for the keys again, and anybody can
// send such tokens. It is safe for concurrent use, and sends one request at a time.
type issuerDocuments struct {
	clock clock.Clock

	mu     sync.Mutex
	copies map[string]*issuerCopy
}

// issuerCopy is the last reply for a document, and the time of the last request.
type issuerCopy struct {
	reply *http.Response
	body  []byte
	err   error
	asked clock.Instant
}

// RoundTrip implements [http.RoundTripper].
func (d *issuerDocuments) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	address := r.URL.String()
	kept, now := d.copies[address], d.clock.Now()
	if kept == nil || now.Sub(kept.asked) >= issuerRefresh || kept.err != nil && now.Sub(kept.asked) >= issuerRetry {
		fresh := fetchDocument(r)
		fresh.asked = now
		if kept != nil && kept.err == nil && fresh.err != nil {
			kept.asked = now // the older copy is still good
		} else {
			kept = &fresh
		}
		d.copies[address] = kept
	}
	if kept.err != nil {
		return nil, kept.err
	}
	reply := *kept.reply
	reply.Request, reply.Body = r, io.NopCloser(bytes.NewReader(kept.body))
	return &reply, nil
}

// fetchDocument sends the request and reads its reply.
func fetchDocument(r *http.Request) (c issuerCopy) {
	if c.reply, c.err = http.DefaultTransport.RoundTrip(r); c.err != nil {
		return c
	}
	defer c.reply.Body.Close()
	if c.body, c.err = io.ReadAll(io.LimitReader(c.reply.Body, maxIssuerBytes)); c.err == nil && c.reply.StatusCode != http.StatusOK {
		c.err = fmt.Errorf("status %d", c.reply.StatusCode)
	}
	return c
}
