package run

import (
	"context"
	"errors"
	"slices"

	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
)

var (
	// ErrBudget ends a run whose budget of billed transactions was spent.
	ErrBudget = errors.New("the budget of billed transactions was spent")
	// ErrConsent is that of a remote run that nobody agreed to.
	ErrConsent = errors.New("nothing was sent: nobody has agreed to it")
	// ErrFolder is wrapped where the record's folder cannot be written to, before
	// anything was sent.
	ErrFolder = errors.New("cannot write a run there")
	// ErrTarget is wrapped where the target is not there, or does not take our
	// signature, before anything was done to it.
	ErrTarget = errors.New("the target is not available")
)

// withoutKind returns what is left of joined errors without those of a kind.
func withoutKind(err, kind error) error {
	joined, many := err.(interface{ Unwrap() []error })
	switch {
	case many:
		var rest []error
		for _, one := range joined.Unwrap() {
			rest = append(rest, withoutKind(one, kind))
		}
		return errors.Join(rest...)
	case errors.Is(err, kind):
		return nil
	default:
		return err
	}
}

// endOf returns what a record says of how its run ended, and what ended it early.
func endOf(ended error) (validity string, reasons []string, by results.EndedBy) {
	is := func(kind error) bool { return errors.Is(ended, kind) }
	switch {
	case is(context.Canceled): // somebody did, whatever failed after that
	case is(drive.ErrStopped):
		by = results.EndedByStopOn
	case slices.ContainsFunc([]error{drive.ErrSilent, ErrTarget, campaign.ErrPreparation, campaign.ErrAfterLoad}, is):
		by = results.EndedByTarget
	}
	switch {
	case ended == nil:
		return results.Valid, []string{}, by
	case errors.Is(ended, context.Canceled):
		return results.Partial, []string{"the run was interrupted"}, by
	case ended == ErrBudget:
		return results.Partial, []string{ErrBudget.Error()}, by
	}
	var stop *drive.Stop
	if errors.As(ended, &stop) {
		reasons, ended = append(reasons, "the run was "+stop.Reason()), withoutKind(ended, drive.ErrStopped)
	}
	if ended != nil {
		reasons = append(reasons, "the run was ended by an error: "+results.OneLine(ended))
	}
	return results.Partial, reasons, by
}
