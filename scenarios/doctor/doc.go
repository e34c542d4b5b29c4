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
//
// # Calibration
//
// [Calibrate] measures a table service in small experiments, for a profile of the partition model.
// Each is a run of a scenario that is built here: latencies at a low rate, increasing rates for one
// partition, an overload, bursts after a pause and, if requested, the limit of the account. Later
// experiments take their rates from earlier results. [Calibration.Profile] has what was measured,
// and for everything else the reason why not.
//
// The caller passes a target, a budget and a function that asks for consent, once for all
// experiments. When its context ends, Calibrate returns what was measured so far and drops its
// tables. It opens no target, stays within the budget and reads no clock.
//
// A [Profile] is a file of model parameters, each with its interval. [Profile.Text] prints it,
// [ParseProfile] parses it, and [UseProfile] applies it, or a profile of the model by its name, to
// a scenario. The format is as strict as that of a scenario: a damaged file, or one of another
// version, gives [loadgen/scenarios/fields.Faults] with lines.
package doctor
