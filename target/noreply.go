package target

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"
)

// The errors of Windows for connections that are refused, aborted or reset; no other system has these numbers.
const (
	windowsRefused = syscall.Errno(10061)
	windowsAborted = syscall.Errno(10053)
	windowsReset   = syscall.Errno(10054)
)

// FaultOf returns why an attempt got no reply, and a sentence about it, by the error of its connection or of its body. Texts
// of other packages come last: they may contain received bytes, or an address.
func FaultOf(err error) (Fault, string) {
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
	var name *net.DNSError
	var timeout net.Error
	switch {
	case is(context.Canceled):
		return Cancelled, "cancelled before a reply came"
	case is(ErrReplyTooLong):
		return ReplyTooLong, err.Error()
	case is(ErrReplyEnded):
		return NoRoom, err.Error()
	case errors.As(err, &name) && name.IsNotFound:
		return HostNotFound, "there is no host " + name.Name
	case errors.As(err, &name):
		return LookupFailed, "looking up the host " + name.Name + " failed: " + name.Err
	case is(syscall.ECONNREFUSED, windowsRefused):
		return ConnectionRefused, "the connection was refused"
	case is(syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, windowsReset, windowsAborted):
		return ConnectionReset, "the connection was reset before the reply was complete"
	case is(io.EOF, io.ErrUnexpectedEOF):
		return ConnectionClosed, "the connection was closed before the reply was complete"
	case errors.As(err, &timeout) && timeout.Timeout():
		return TimedOut, "the connection timed out"
	default:
		return ConnectionFailed, "the connection failed: " + err.Error()
	}
}
