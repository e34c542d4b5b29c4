// Package process is another program of this machine that is measured: started, its CPU read
// while it runs, ended.
//
// [Start] one that prints in its first line that it is ready; read [Child.CPU] and
// [Child.Memory] as often as wanted, and [Child.End] it. [Run] is for a program that ends by
// itself. [Busy] is the use of the whole machine by all processes.
//
// The caller must End every child. The package ends no other process, and nothing of it is
// safe for concurrent use but what reads. If the system does not report it, the error is
// [ErrUntold].
package process
