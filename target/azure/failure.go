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
	"unicode/utf8"
)

// What Windows says for a connection that is refused, aborted or reset; the
// numbers mean nothing elsewhere.
const (
	windowsRefused = syscall.Errno(10061)
	windowsAborted = syscall.Errno(10053)
	windowsReset   = syscall.Errno(10054)
)

// noReply says in a few words why an attempt got no reply. The texts of
// other packages come last: they may hold anything that was received.
func noReply(err error) string {
	var name *net.DNSError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case isAny(err, errLate, errCancelled, errClosed, errReplyTooLong, errHeadTooLong, errNotHTTP):
		return err.Error()
	case errors.As(err, &name) && name.IsNotFound:
		return "there is no host " + name.Name
	case errors.As(err, &name):
		return "looking up the host " + name.Name + " failed: " + name.Err
	case isAny(err, syscall.ECONNREFUSED, windowsRefused):
		return refusedText
	case errors.As(err, &record):
		return "TLS: what answers does not speak it"
	case errors.Is(err, errTLS):
		return err.Error()
	case isAny(err, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, windowsReset, windowsAborted):
		return "the connection was reset before the reply was complete"
	case isAny(err, io.EOF, io.ErrUnexpectedEOF):
		return "the connection was closed before the reply was complete"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "the connection timed out"
	default:
		return "the connection failed: " + err.Error()
	}
}

const refusedText = "the connection was refused"

func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// mostDetail is the greatest length of a detail, in bytes.
const mostDetail = 300

// oneLine returns a text as one line of bounded length: what cannot be printed
// becomes a blank.
func oneLine(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "�"))
	if len(text) > mostDetail {
		cut := mostDetail
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}
