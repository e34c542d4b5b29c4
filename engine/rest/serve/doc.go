// Package serve is a table service from the check of what was asked for to its
// last line: an account of the embedded engine behind an address, and behind a
// second one of this machine alone what those who look after it want to know.
//
// Fill in [Options] and [Open] the service: its tables are filled from archives,
// and it listens, while requests wait. [Service.Begin] lets them in;
// [Service.ConnectionString] is what a client needs. At the end [Service.Drain]
// accepts no more and waits for what is under way, [Service.Save] writes the
// archive of all tables, and [Service.Close] lets go of whatever is left.
//
// The caller owes each service that was opened a Close, and calls its methods from
// one goroutine; [Service.Counts] and [Service.State] are for any. Options.Observe
// and Options.Tick are where traffic is taken down: the package keeps none of it.
//
// The package never says a key that is not known to all, never alters a file that
// was exported before until the new one is whole, and writes nothing but that
// archive and its journal.
package serve
