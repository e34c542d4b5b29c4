package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/fleet"
	"loadgen/scenarios/run"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		// With nohup the program must continue.
		ends = append(ends, syscall.SIGHUP)
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, ends...)
	notice := newShutdownNotice(text.NewWriter(os.Stderr))
	ctx := context.WithValue(withNotice(context.Background(), notice), stopKey{}, func() {
		select {
		case signals <- os.Interrupt:
		default: // it is ending as it is
		}
	})
	ctx, cancel := context.WithCancelCause(ctx)
	go handleSignals(signals, cancel, notice, os.Exit)
	os.Exit(execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// handleSignals makes the first signal end the command, and another one the process, after a message about leftovers.
// A command that only reads its input may be blocked, as by a named pipe, and is ended after [inputLimit]. A closed
// terminal hangs up more than once, by the shell and by the system: the second time has no effect.
func handleSignals(signals <-chan os.Signal, cancel context.CancelCauseFunc, notice *shutdownNotice, exit func(code int)) {
	first := <-signals
	ignoreBrokenPipe(first)
	// Print it even if it is dropped in the meantime.
	notice.mu.Lock()
	notice.marked = notice.List()
	notice.mu.Unlock()
	cancel(interruption{first})
	clk := clock.NewReal()
	blocked := clk.Alarm(clk.Now().Add(inputLimit))
	defer blocked.Stop()
	for {
		select {
		case <-blocked.C:
			if !notice.working.Load() {
				fmt.Fprintf(notice.to, "loadgen: %v\n", interruption{first})
				exit(interruption{first}.code())
				return
			}
		case again := <-signals:
			if ignoreBrokenPipe(again) {
				continue
			}
			printed := make(chan struct{})
			go func() {
				notice.WriteLeftovers(true)
				close(printed)
			}()
			select {
			case <-printed:
			case <-signals: // the reader is gone
			}
			exit(interruption{again}.code())
			return
		}
	}
}

// inputLimit is how long a command that has done nothing but read its input may take to end after a signal.
const inputLimit = 500 * time.Millisecond

// ignoreBrokenPipe reports whether the terminal was closed. The reader of the output may be gone then, too: from now on
// a broken pipe is an error, and does not end the process.
func ignoreBrokenPipe(one os.Signal) bool {
	if one == syscall.SIGHUP {
		signal.Ignore(syscall.SIGPIPE)
	}
	return one == syscall.SIGHUP
}

// interruption is the cause of a context that a signal ended.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string { return i.ending().name }
func (i interruption) code() int     { return i.ending().code }

// ending is how a signal ends the program: what messages call it, its exit code, and what ends the process at once.
type ending struct {
	name  string
	code  int
	again string
}

func (i interruption) ending() ending {
	switch i.signal {
	case syscall.SIGTERM:
		return ending{"terminated", codeTerminated, "SIGTERM again"}
	case syscall.SIGHUP:
		return ending{"hung up", codeHungUp, "SIGTERM"}
	case syscall.SIGQUIT:
		return ending{"quit", codeQuit, "SIGQUIT again"}
	default:
		return ending{"interrupted", codeInterrupted, "Ctrl-C again"}
	}
}

// noticeKey is the context key of the program's [shutdownNotice].
type noticeKey struct{}

func withNotice(ctx context.Context, notice *shutdownNotice) context.Context {
	return context.WithValue(ctx, noticeKey{}, notice)
}

// noticeOf returns that of the program, nil if it has none.
func noticeOf(ctx context.Context) *shutdownNotice {
	notice, _ := ctx.Value(noticeKey{}).(*shutdownNotice)
	return notice
}

// beginWork marks the end of reading input: from now on a signal ends the command only as fast as it can report and
// clean up.
func beginWork(ctx context.Context) {
	if notice := noticeOf(ctx); notice != nil {
		notice.working.Store(true)
	}
}

// stopKey is under what the way to end the program as Ctrl-C does goes with its context.
type stopKey struct{}

// stopOf returns that of the program, nil if it has none.
func stopOf(ctx context.Context) func() {
	stop, _ := ctx.Value(stopKey{}).(func())
	return stop
}

// leftoversOf returns the receiver of messages about what a run creates, nil if there is none.
func leftoversOf(ctx context.Context, shown *progressView) *run.Remains {
	notice := noticeOf(ctx)
	if notice == nil {
		return nil
	}
	beginWork(ctx)
	notice.mu.Lock()
	notice.shown = shown
	notice.mu.Unlock()
	return &notice.Remains
}

// execute is the whole program but for the process around it. It returns the exit
// code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = text.NewWriter(stdout), text.NewWriter(stderr)
	notice := noticeOf(ctx)
	if notice == nil {
		notice = newShutdownNotice(stderr)
		ctx = withNotice(ctx, notice)
	}
	said := make(chan struct{})
	unended := context.AfterFunc(ctx, func() {
		defer close(said)
		var signalled interruption
		if errors.As(context.Cause(ctx), &signalled) {
			notice.Ending(signalled.Error(), signalled.ending().again)
		}
	})
	args = addressed(args)
	root := newRoot(stdout, stderr, args...)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	if !unended() {
		<-said
	}
	defer notice.WriteLeftovers(false)
	if err == nil {
		return codeOk
	}
	code, message := explain(ctx, err)
	if code == codeUsage {
		message += advice(c, message, err)
	}
	if message != "" {
		fmt.Fprintln(stderr, "loadgen:", message)
	}
	return code
}

// The exit codes of every verb.
const (
	codeOk          = 0
	codeInternal    = 1
	codeUsage       = 2
	codeTarget      = 3
	codeExpectation = 10
	codeRegression  = 11
	// codeInconclusive says that there is no answer.
	codeInconclusive = 12
	codeInvalidRun   = 13
	codeHungUp       = 129
	codeInterrupted  = 130
	codeQuit         = 131
	codeTerminated   = 143
)

// usageError is a fault of what the user typed.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// verdictError ends a run that was reported completely: at most one line is left to print.
type verdictError struct {
	code int
	said string
}

func (v verdictError) Error() string { return "the run did not meet what was asked of it" }

// explain returns the exit code of an error, and its message, a line for each fault; empty if everything has been
// printed.
func explain(ctx context.Context, err error) (int, string) {
	var told verdictError
	var usage usageError
	var faults fields.Faults
	var signalled interruption
	is := func(kind error) bool { return errors.Is(err, kind) }
	switch {
	case errors.As(err, &told):
		return told.code, told.said
	case errors.As(context.Cause(ctx), &signalled) && (errors.Is(err, context.Canceled) || unheard(err)):
		var ended reportedError
		report := "there is no report, for nothing was measured"
		if errors.As(err, &ended) && ended.whole {
			report = "the report is whole, for all was measured by then"
		} else if errors.As(err, &ended) || unheard(err) {
			report = "the report is of what was done until then"
		}
		return signalled.code(), signalled.Error() + "; " + report
	case errors.As(err, &faults):
		return codeUsage, faults.Error()
	case errors.Is(err, fleet.ErrBroken):
		return codeInvalidRun, results.OneLine(err)
	case errors.Is(err, syscall.ENOSPC):
		return codeInternal, results.OneLine(err)
	case errors.As(err, &usage), errors.Is(err, run.ErrFolder), errors.Is(err, fields.ErrInvalid), errors.Is(err, scenarios.ErrUnknown),
		errors.Is(err, campaign.ErrTableExists), errors.Is(err, campaign.ErrNotOurs), slices.ContainsFunc(fleet.InputErrors[:], is):
		return codeUsage, results.OneLine(err)
	case errors.Is(err, campaign.ErrPreparation), errors.Is(err, campaign.ErrAfterLoad), errors.Is(err, drive.ErrSilent), errors.Is(err, run.ErrTarget),
		slices.ContainsFunc(fleet.PeerErrors[:], is):
		return codeTarget, results.OneLine(err)
	default:
		return codeInternal, results.OneLine(err)
	}
}

// reportedError ends a command that was stopped early and has printed its results until then; whole says that it was
// finished.
type reportedError struct {
	error
	whole bool
}

func (r reportedError) Unwrap() error { return r.error }

// reported returns the error of a command that has printed its results, nil for nil.
func reported(ended error, whole bool) error {
	if ended == nil {
		return nil
	}
	return reportedError{ended, whole}
}

// unheard reports whether an error says that the reader of the output is gone: a closed terminal or pipe.
func unheard(err error) bool {
	return !errors.Is(err, results.ErrWrite) && (errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EPIPE))
}
