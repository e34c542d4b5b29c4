package azure

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// ErrNoToken is wrapped by errors about tokens that could not be requested. The text is one line with
// the likely cause.
var ErrNoToken = errors.New("no token of Entra ID")

// Credential requests tokens for one service. It is safe for concurrent use, and prints only its scope.
type Credential struct {
	scope string
	get   azcore.TokenCredential
}

// The scopes: one of Azure Storage for all clouds, and one of Cosmos DB for each.
const (
	storageScope     = "https://storage.azure.com/.default"
	cosmosScope      = "https://cosmos.azure.com/.default"
	cosmosChinaScope = "https://cosmos.azure.cn/.default"
	cosmosUSScope    = "https://cosmos.azure.us/.default"
)

// TokenScope returns the scope of tokens for the table service at a host.
func TokenScope(host string, cosmos bool) string {
	switch host = strings.ToLower(host); {
	case !cosmos:
		return storageScope
	case strings.Contains(host, ".azure.cn"):
		return cosmosChinaScope
	case strings.Contains(host, ".azure.us"):
		return cosmosUSScope
	default:
		return cosmosScope
	}
}

// tryLimit limits one token request: a firewall that drops packets must not cost more than a probe.
const tryLimit = 3 * time.Second

// DefaultCredential returns the default credential of Azure's SDKs: that of the environment, a
// workload identity, a managed identity, or the account signed in with Azure's command-line tools. It
// sends no request yet; the error wraps [ErrNoToken].
func DefaultCredential(scope string) (*Credential, error) {
	options := azcore.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1, TryTimeout: tryLimit}}
	all, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: options})
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNoToken, hide(firstLine(err.Error())))
	}
	return &Credential{scope, all}, nil
}

// Format writes the scope, whatever the verb.
func (c *Credential) Format(state fmt.State, _ rune) { fmt.Fprint(state, c.scope) }

// GetToken implements azcore.TokenCredential, for clients of other services of the account.
func (c *Credential) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return c.get.GetToken(ctx, o)
}

// emptyClaims make a source of tokens skip its cache.
const emptyClaims = "{}"

// token requests a token, if fresh one that is not cached.
func (c *Credential) token(ctx context.Context, fresh bool) (azcore.AccessToken, error) {
	o := policy.TokenRequestOptions{Scopes: []string{c.scope}}
	if fresh {
		o.Claims = emptyClaims
	}
	got, err := c.get.GetToken(ctx, o)
	if err != nil {
		var refused *azidentity.AuthenticationFailedError
		why := "no credentials found; sign in (az login), set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, " +
			"use a managed identity, or pass the account key with --key-file"
		switch {
		case ctx.Err() != nil:
			why = "timed out; does this network reach login.microsoftonline.com or the managed identity endpoint?"
		case errors.As(err, &refused) && refused.RawResponse != nil:
			why = fmt.Sprintf("the request was answered %d: %s", refused.RawResponse.StatusCode, hide(cause(err.Error())))
		case errors.As(err, &refused), errors.Is(err, context.DeadlineExceeded):
			why = hide(cause(err.Error()))
		}
		return got, fmt.Errorf("%w: %s", ErrNoToken, why)
	}
	if got.Token == "" || strings.ContainsFunc(got.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return got, fmt.Errorf("%w: what was given is no token", ErrNoToken)
	}
	return got, nil
}

// cause returns the most specific line of a long error: Entra ID's description, or else the first.
func cause(text string) string {
	if from := strings.Index(text, "AADSTS"); from >= 0 {
		text = text[from:]
		for _, end := range []string{" Trace ID", "\\r", "\"", "\r", "\n"} {
			text, _, _ = strings.Cut(text, end)
		}
		return bounded(text)
	}
	// Of several credentials, the last is the one that got an answer.
	tried := ""
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "\t") && strings.Contains(line, "Credential: ") {
			tried = line
		}
	}
	if tried != "" {
		return firstLine(tried)
	}
	return firstLine(text)
}

func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return bounded(text)
}

// maxDetailBytes is the maximum length of a detail.
const maxDetailBytes = 300

func bounded(text string) string {
	if len(text) > maxDetailBytes {
		text = strings.ToValidUTF8(text[:maxDetailBytes], "") + "…"
	}
	return text
}

// secretVariables are the environment variables with secrets of credentials.
var secretVariables = [...]string{"AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD", "AZURE_PASSWORD",
	"IDENTITY_HEADER", "MSI_SECRET", "SYSTEM_ACCESSTOKEN"}

// hide returns a text without the secrets of the environment.
func hide(text string) string {
	for _, name := range secretVariables {
		if value := os.Getenv(name); value != "" {
			text = strings.NewReplacer(value, "(secret)", url.QueryEscape(value), "(secret)").Replace(text)
		}
	}
	return text
}
