//go:build unix

package rest

import "syscall"

// look is one look at a socket, to be used again and again.
type look struct {
	room   [1]byte
	got    int
	peruse func(descriptor uintptr) bool
}

// something reports whether a socket has something to be read. What it has may be
// lost.
func (l *look) something(socket syscall.RawConn) bool {
	if l.peruse == nil {
		l.peruse = func(descriptor uintptr) bool {
			l.got, _ = syscall.Read(int(descriptor), l.room[:])
			return true // without a wait
		}
	}
	return socket.Read(l.peruse) == nil && l.got > 0
}
