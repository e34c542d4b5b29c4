package azure

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
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

// The errors of Windows for connections that are refused, aborted or reset; no other system has these numbers.
const (
	windowsRefused = syscall.Errno(10061)
	windowsAborted = syscall.Errno(10053)
	windowsReset   = syscall.Errno(10054)
)

// unanswered returns the outcome of an attempt without a reply, for an error before the reply or within it.
func (t *Target) unanswered(err error, within bool) target.Outcome {
	fault, text := noReply(err)
	if within && (fault == target.ConnectionClosed || fault == target.ConnectionReset) {
		fault = target.ReplyCutOff
	}
	return target.Outcome{Fault: fault, Detail: t.line(text)}
}

// noReply returns why an attempt got no reply. Texts of other packages come last: they may contain received
// bytes.
func noReply(err error) (target.Fault, string) {
	var name *net.DNSError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.Is(err, errLate):
		return target.TimedOut, err.Error()
	case isAny(err, errCancelled, errClosed):
		return target.Cancelled, err.Error()
	case errors.Is(err, errNoRoom):
		return target.NoRoom, err.Error()
	case isAny(err, errReplyTooLong, errHeadTooLong):
		return target.ReplyTooLong, err.Error()
	case errors.Is(err, errNotHTTP):
		return target.NotHTTP, err.Error()
	case errors.As(err, &name) && name.IsNotFound:
		return target.HostNotFound, "there is no host " + name.Name
	case errors.As(err, &name):
		return target.LookupFailed, "looking up the host " + name.Name + " failed: " + name.Err
	case isAny(err, syscall.ECONNREFUSED, windowsRefused):
		return target.ConnectionRefused, "the connection was refused"
	case errors.As(err, &record):
		return target.TLSFailed, "TLS: the server does not support it"
	case errors.Is(err, errTLS):
		return target.TLSFailed, err.Error()
	case isAny(err, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, windowsReset, windowsAborted):
		return target.ConnectionReset, "the connection was reset before the reply was complete"
	case errors.Is(err, errProxy):
		return target.ProxyRefused, err.Error()
	case errors.Is(err, errForm), errors.Is(err, ErrNoToken):
		return target.NotSent, err.Error()
	case isAny(err, io.EOF, io.ErrUnexpectedEOF):
		return target.ConnectionClosed, "the connection was closed before the reply was complete"
	case errors.As(err, &timeout) && timeout.Timeout():
		return target.TimedOut, "the connection timed out"
	default:
		return target.ConnectionFailed, "the connection failed: " + err.Error()
	}
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
