//go:build unix

package azure

import "syscall"

// look checks idle sockets. It is reusable.
type look struct {
	room   [1]byte
	got    int
	err    error
	peruse func(descriptor uintptr) bool
}

// quiet reports whether a socket is open and has nothing to read. It may discard a byte: bytes on an idle
// connection are of no use.
func (l *look) quiet(socket syscall.RawConn) bool {
	if l.peruse == nil {
		l.peruse = func(descriptor uintptr) bool {
			l.got, l.err = syscall.Read(int(descriptor), l.room[:])
			return true // without a wait
		}
	}
	if err := socket.Read(l.peruse); err != nil {
		return false
	}
	return l.got < 0 && (l.err == syscall.EAGAIN || l.err == syscall.EWOULDBLOCK || l.err == syscall.EINTR)
}
