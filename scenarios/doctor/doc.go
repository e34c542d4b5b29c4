// Package doctor checks that this machine can produce reliable measurements, and checks a table
// service.
//
// [Diagnose] runs the checks of [Options] in order: the machine's resources, the steps of a
// visit if a service is named, and short trials, one of which freezes the embedded engine under
// load and compares the report with arithmetic. [Diagnosis.Document] returns the result.
//
// [Clean] lists what killed runs left at a service and drops it if agreed.
//
// Callers pass options that [Options.Validate] accepts, and cancel the context to skip the rest.
//
// The package creates and writes nothing at the service, drops nothing there except by Clean,
// and leaves nothing behind on the machine. A check without a measurement fails nothing.
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
