// Package workflow holds the closed list of operations of several requests that
// scenarios can name: transfers, indexes, archives, leases, sums, and what else the
// documents describe.
//
// [Kinds] are all of them, [Find] the one of a name. A kind takes parameters and makes a
// [machine.Workflow] for each operation; where something must hold of what a run left
// behind, its check reads everything and can fail.
//
// The caller owes what package machine asks for. A scenario names a workflow and gives it
// parameters; it programs nothing.
package workflow
