package azure

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"loadgen/target"
)

// The faults of an address and of a service that a run cannot use; test for
// them with errors.Is. None of them repeats a text that could be a secret.
var (
	// ErrConnectionString: the text is no connection string of a table service.
	ErrConnectionString = errors.New("azure: connection string")
	// ErrURL: the text is no address of a table service.
	ErrURL = errors.New("azure: service URL")
	// ErrOptions: the options of a target are at fault.
	ErrOptions = errors.New("azure: options")
	// ErrUnreachable: nothing answers at the address.
	ErrUnreachable = errors.New("azure: the service cannot be reached")
	// ErrAuthentication: the service does not accept the credential.
	ErrAuthentication = errors.New("azure: the service refuses the credential")
	// ErrClock: this machine's clock differs too much from the service's for a valid signature.
	ErrClock = errors.New("azure: the clocks differ too much")
	// ErrNotTables: something answers at the address that is no table service.
	ErrNotTables = errors.New("azure: not a table service")
)

// unanswered returns the outcome of an attempt without a reply, for an error before the reply or within it.
func (t *Target) unanswered(err error, within bool) target.Outcome {
	fault, text := noReply(err)
	if within && (fault == target.ConnectionClosed || fault == target.ConnectionReset) {
		fault = target.ReplyCutOff
	}
	return target.Outcome{Fault: fault, Detail: t.line(text)}
}

// noReply returns why an attempt got no reply.
func noReply(err error) (target.Fault, string) {
	for _, own := range [...]struct {
		fault target.Fault
		errs  []error
	}{
		{target.TimedOut, []error{errLate}},
		{target.Cancelled, []error{errCancelled, errClosed}},
		{target.NoRoom, []error{errNoRoom}},
		{target.ReplyTooLong, []error{errReplyTooLong, errHeadTooLong}},
		{target.NotHTTP, []error{errNotHTTP}},
		{target.TLSFailed, []error{errTLS}},
		{target.ProxyRefused, []error{errProxy}},
		{target.NotSent, []error{errForm, ErrNoToken}},
	} {
		if isAny(err, own.errs...) {
			return own.fault, err.Error()
		}
	}
	return target.FaultOf(err)
}

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// line returns a text as one line of limited length, without secrets and with blanks for unprintable
// characters.
func (t *Target) line(text string) string {
	text = bounded(strings.TrimSpace(strings.ToValidUTF8(t.hide(text), "�")))
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}
