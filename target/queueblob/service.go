package queueblob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"loadgen/engine/entity"
	"loadgen/target"
)

// Service is where a real queue or blob service is and as whom it is asked. Printing it
// in whatever way shows its address alone. It is immutable; the zero value is none.
type Service struct {
	address, account string
	// prove returns the credential, of which one part is empty. It is a function so that
	// no print of a struct that holds a service follows it to the secret.
	prove func() (key, signature string)
	// identity gives tokens in the place of both, nil where it does not.
	identity azcore.TokenCredential
}

// NewService returns the service at an address without a query, such as
// https://ACCOUNT.queue.core.windows.net. The credential is the account's key in base64,
// or a shared access signature without its question mark.
func NewService(address, account string, prove func() (key, signature string)) Service {
	return Service{address: strings.TrimRight(address, "/"), account: account, prove: prove}
}

// As returns the service with whose tokens of Entra ID prove who asks, in the place of a
// credential.
func (s Service) As(who azcore.TokenCredential) Service {
	s.identity = who
	return s
}

// String returns the address.
func (s Service) String() string { return s.address }

// Format writes the address, whatever the verb.
func (s Service) Format(state fmt.State, _ rune) { fmt.Fprint(state, s.address) }

// serviceTimeout bounds an attempt: it lies above the 30 s after which a service gives
// up itself.
const serviceTimeout = 35 * time.Second

// maxIdle is for how long a connection is kept that nothing is sent on: services close
// theirs, Azurite after 5 s, and what is sent then gets no reply.
const maxIdle = 4 * time.Second

// link is what the clients of both services have in common. It is safe for concurrent
// use.
type link struct {
	service   Service
	transport *bounded
}

// newLink returns that of a service, for so many attempts at once, whose replies share a
// budget.
func newLink(s Service, connections int, budget *target.ReplyBudget) link {
	return link{s, &bounded{&http.Transport{DialContext: (&net.Dialer{Timeout: serviceTimeout}).DialContext, MaxIdleConnsPerHost: connections,
		IdleConnTimeout: maxIdle, TLSHandshakeTimeout: serviceTimeout, MaxResponseHeaderBytes: maxHead}, budget, false}}
}

// options are those of a client that makes one attempt a call, and follows nobody
// elsewhere.
func (l *link) options() azcore.ClientOptions {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return azcore.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1},
		Transport: &http.Client{Transport: l.transport, Timeout: serviceTimeout, CheckRedirect: stay}}
}

// signed returns the address with a signature as its query.
func (l *link) signed(signature string) string { return l.service.address + "/?" + signature }

// Close closes the connections that are open. Whoever calls it has no attempt under
// way.
func (l *link) Close() { l.transport.CloseIdleConnections() }

// answered returns the outcome of a request with nothing to tell but whether it went well.
func (l *link) answered(status int, err error) answer {
	if err != nil {
		return l.failed(err)
	}
	return answer{Status: status}
}

// maxRetryAfter bounds how long a service can ask to be left alone.
const maxRetryAfter = time.Hour

// failed returns what came of an attempt that ended with an error. The error's own
// text is never told where it can hold the address with its signature.
func (l *link) failed(err error) answer {
	var told *azcore.ResponseError
	if !errors.As(err, &told) {
		// What is told is without the address.
		reason := err
		var asked *url.Error
		for errors.As(reason, &asked) {
			reason = asked.Err
		}
		text := "no reply: " + reason.Error()
		key, signature := l.service.prove()
		for _, secret := range append(strings.Split(signature, "&"), key, signature) {
			// The short parts of a signature are its version and its rights.
			if len(secret) > 16 {
				text = strings.ReplaceAll(text, secret, "(secret)")
			}
		}
		return answer{Fault: faultOf(err), Detail: strings.ToValidUTF8(text[:min(len(text), 300)], "")}
	}
	o := answer{Status: told.StatusCode}
	// It can come from anybody who answers.
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

// faultOf names why no reply came.
func faultOf(err error) target.Fault {
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return target.Cancelled
	case errors.Is(err, target.ErrReplyTooLong), errors.Is(err, errTooLong):
		return target.ReplyTooLong
	case errors.Is(err, target.ErrReplyEnded):
		return target.NoRoom
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return target.TimedOut
	case errors.Is(err, syscall.ECONNREFUSED):
		return target.ConnectionRefused
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return target.ConnectionClosed
	default:
		return target.ConnectionFailed
	}
}

// answer is an outcome by a shorter name.
type answer = target.Outcome
