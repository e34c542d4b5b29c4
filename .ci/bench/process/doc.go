// Package process is another program of this machine that is measured: started, its CPU read
// while it runs, ended.
//
// [Start] one that tells in its first line that it is ready; read [Child.CPU] and
// [Child.Memory] as often as wanted, and [Child.End] it. [Run] is for a program that ends by
// itself. [Busy] is what the whole machine has used, whoever did.
//
// The caller owes every child an End. The package ends no other process, and nothing of it is
// safe for concurrent use but what reads. Where the system does not tell, the error is
// [ErrUntold].
package process
