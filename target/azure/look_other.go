//go:build !unix

package azure

import "syscall"

// look stands for a look at a socket where the system has none that does not
// wait: an attempt on a connection that the service has closed then fails, and
// tells its sender so.
type look struct{}

func (*look) quiet(syscall.RawConn) bool { return true }
