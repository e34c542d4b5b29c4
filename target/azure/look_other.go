//go:build !unix

package azure

import "syscall"

// look replaces the check of idle sockets on systems without non-blocking reads: an attempt on a
// connection that the service has closed fails there.
type look struct{}

func (*look) quiet(syscall.RawConn) bool { return true }
