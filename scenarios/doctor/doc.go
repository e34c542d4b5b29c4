// Package doctor proves the tool on the machine that it stands on, and visits a table
// service: may the figures of its runs be trusted here?
//
// Fill [Options] and hand them to [Diagnose], which makes one check after another: what
// runs find on this machine, the steps of a visit where a service is named, and in the
// end trials, of which one freezes the embedded engine under load and holds what is
// reported of that against arithmetic. [Diagnosis.Document] says what they came to.
//
// [Clean] looks through a service for what killed runs left there, and drops it where that
// was agreed to.
//
// The caller owes options that [Options.Validate] finds sound, and a context that it
// cancels to leave out what is left.
//
// The package never creates or writes anything at the service, drops nothing there but by
// Clean, and leaves nothing behind on the machine. What cannot be told fails nothing.
package doctor
