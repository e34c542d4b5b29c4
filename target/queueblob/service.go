package queueblob

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"loadgen/engine/entity"
	"loadgen/target"
)

// Service is a real queue or blob service and the credential for it. Printing it shows only the address.
type Service struct {
	// Address has no query and no trailing slash, such as https://ACCOUNT.queue.core.windows.net.
	Address, Account string
	// Prove returns the credential: the account's key in base64, or a shared access signature without its question mark. It
	// is a function so that printing a struct with a service never shows the secret.
	Prove func() (key, signature string)
	// Identity, unless nil, gives tokens of Entra ID that replace key and signature.
	Identity azcore.TokenCredential
}

// String returns the address.
func (s Service) String() string { return s.Address }

// Format writes the address, whatever the verb.
func (s Service) Format(state fmt.State, _ rune) { fmt.Fprint(state, s.Address) }

// serviceTimeout is the maximum duration of an attempt, longer than the 30 s after which a
// service itself times out.
const serviceTimeout = 35 * time.Second

// maxIdle is how long an idle connection stays open. Services close theirs, Azurite after
// 5 s, and never answer a request that arrives then.
const maxIdle = 4 * time.Second

// link is the common part of the clients of both services. It is safe for concurrent use.
type link struct {
	service   Service
	transport *bounded
}

// newLink returns the link to a service. connections is the maximum number of concurrent
// attempts; their replies share the budget.
func newLink(s Service, connections int, budget *target.ReplyBudget) link {
	return link{s, &bounded{&http.Transport{DialContext: (&net.Dialer{Timeout: serviceTimeout}).DialContext, MaxIdleConnsPerHost: connections,
		IdleConnTimeout: maxIdle, TLSHandshakeTimeout: serviceTimeout, MaxResponseHeaderBytes: maxHead}, budget, false}}
}

// options returns the options of a client that makes one attempt per call and follows no
// redirects.
func (l *link) options() azcore.ClientOptions {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return azcore.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1},
		Transport: &http.Client{Transport: l.transport, Timeout: serviceTimeout, CheckRedirect: stay}}
}

// signed returns the address with a signature as its query.
func (l *link) signed(signature string) string { return l.service.Address + "/?" + signature }

// Close closes the idle connections. Callers must wait for their attempts first.
func (l *link) Close() { l.transport.CloseIdleConnections() }

// answered returns the outcome of a request without further results.
func (l *link) answered(status int, err error) answer {
	if err != nil {
		return l.failed(err)
	}
	return answer{Status: status}
}

// maxRetryAfter is the maximum of the Retry-After header that is respected.
const maxRetryAfter = time.Hour

// failed returns the outcome of an attempt that ended with an error. Its text never has the
// error's own, which can contain the address with its signature.
func (l *link) failed(err error) answer {
	var told *azcore.ResponseError
	if !errors.As(err, &told) {
		// The innermost error has no address.
		reason := err
		var asked *url.Error
		for errors.As(reason, &asked) {
			reason = asked.Err
		}
		text := "no reply: " + reason.Error()
		key, signature := l.service.Prove()
		for _, secret := range append(strings.Split(signature, "&"), key, signature) {
			// The short parts of a signature are its version and its rights.
			if len(secret) > 16 {
				text = strings.ReplaceAll(text, secret, "(secret)")
			}
		}
		fault, _ := target.FaultOf(err)
		return answer{Fault: fault, Detail: strings.ToValidUTF8(text[:min(len(text), 300)], "")}
	}
	o := answer{Status: told.StatusCode}
	// A proxy or another server may have answered.
	if code := told.ErrorCode; len(code) <= 64 && only(code, func(c rune) bool { return smallOrDigit(c | 0x20) }) {
		o.Code = entity.Code(code)
	}
	o.Detail = strings.TrimSpace(fmt.Sprintf("the service answered %d %s", o.Status, o.Code))
	if told.RawResponse != nil {
		seconds, err := strconv.ParseUint(told.RawResponse.Header.Get("Retry-After"), 10, 32)
		if err == nil {
			o.RetryAfter = min(time.Duration(seconds)*time.Second, maxRetryAfter)
		}
	}
	return o
}

// answer is an outcome by a shorter name.
type answer = target.Outcome
