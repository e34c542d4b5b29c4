// Package serve runs a local table service: an account of the embedded engine behind an address, and health and state
// behind a second address of this machine.
//
// Fill in [Options] and [Open] the service: its tables are filled from archives,
// and it listens, while requests wait. [Service.Begin] lets them in;
// [Service.ConnectionString] is what a client needs. At the end [Service.Drain]
// accepts no more and waits for what is under way, [Service.Save] writes the
// archive of all tables, and [Service.Close] lets go of whatever is left.
//
// Callers must close each opened service, and call its methods from one goroutine; [Service.Counts] and
// [Service.State] are safe for concurrent use. Record traffic with Options.Observe and Options.Tick: the package keeps
// none.
//
// The package never says a key that is not known to all, never alters a file that
// was exported before until the new one is whole, and writes nothing but that
// archive and its journal.
//
// # Archives
//
// [ReadArchive] and [WriteArchive] read and write the tables of an account as JSON lines or as
// CSV, record by record, with one record in memory. [ArchiveFormatOf] returns the format for a
// file name.
//
// JSON lines have one entity per line as a client would send it, with the name of its table. CSV
// has columns for the table, the keys, and each name and type of property. Both distinguish an
// empty string from a missing property, and contain empty tables. Timestamps are not written: the
// service sets them. WriteArchive goes over its records twice, which must be the same each time.
//
// Reading never panics, and takes no memory out of proportion to its input. No record is returned
// that a table could not hold.
package serve
