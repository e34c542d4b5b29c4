package series

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/compare"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// maker is one side: it makes a run, in a folder whose name is empty for a usual one.
type maker func(ctx context.Context, folder string) (*results.Record, error)

// trials are live runs of one or two sides.
type trials struct {
	// arms are A and B; A is nil if its runs were made before.
	arms [2]maker
	// folder is that of the runs, empty if each has a usual one.
	folder  string
	metrics []compare.Metric
	clock   clock.Real
	log     io.Writer

	// done counts rounds, a run of each side, and made the runs that left a record; repeated
	// are the reasons why rounds were repeated.
	done, made int
	repeated   []string
	// runs are the measured runs of each side.
	runs   [2][]measured
	claims []claimOfRuns
}

// measured is the compared part of a run.
type measured struct {
	record *results.Record
	// values are by metric.
	values []float64
}

// claimOfRuns is a check of the scenario with the number of runs of A and of B that fail it,
// and for which it is inconclusive.
type claimOfRuns struct {
	expr                 string
	failed, inconclusive [2]int
}

// maxRepeats is the maximum number of repetitions of a pair with an invalid run, or with a
// generator that was too late for a metric. Single runs share as many repetitions, and one
// more for each.
const maxRepeats = 2

// The reasons why runs end before the last round.
var (
	errNotValid    = errors.New("invalid run")
	errLate        = errors.New("client-limited figure")
	errNotMeasured = errors.New("figure not measured")
)

// run makes rounds, in the order that cancels drift. Its error wraps [errNotValid], [errLate],
// [errNotMeasured], the end of the context, or a [loadgen/scenarios/fields.Fault].
func (t *trials) run(ctx context.Context, rounds int) error {
	planned := t.done + rounds
	for t.done < planned {
		for try := 0; ; try++ {
			err := t.round(ctx, planned, try)
			if err == nil {
				break
			}
			if !spoiled(err) || try == maxRepeats && t.arms[compare.A] != nil || len(t.repeated) >= maxRepeats+planned {
				return err
			}
			t.repeated = append(t.repeated, results.OneLine(err))
		}
		t.done++
	}
	return nil
}

// spoiled reports whether a round is worth repeating, as its failure is not the target's.
func spoiled(err error) bool { return errors.Is(err, errNotValid) || errors.Is(err, errLate) }

// round makes a run of each side, and counts both if none is spoiled.
func (t *trials) round(ctx context.Context, planned, try int) error {
	slots := compare.Order(t.done + 1)[2*t.done:]
	if t.arms[compare.A] == nil {
		slots = []compare.Slot{{Pair: t.done, Side: compare.B}}
	}
	var both [2]measured
	for i, slot := range slots {
		name := fmt.Sprintf("run %d of %d", t.done+1, planned)
		if len(slots) > 1 {
			name = fmt.Sprintf("pair %d of %d, %v", t.done+1, planned, slot.Side)
		}
		one, err := t.measure(ctx, slot, try)
		if err != nil {
			if spoiled(err) {
				fmt.Fprintf(t.log, "%s: %s\n", name, results.OneLine(err))
			}
			return fmt.Errorf("%s: %w", strings.Replace(name, fmt.Sprintf(" of %d", planned), "", 1), err)
		}
		both[slot.Side] = one
		var words []string
		for m := range t.metrics {
			words = append(words, fmt.Sprintf("%s %s", t.metrics[m].Name, t.metrics[m].Text(one.values[m])))
		}
		fmt.Fprintf(t.log, "%s: %s%s\n", name, strings.Join(words, ", "), remaining(t.clock, len(slots)*t.done+i+1, len(slots)*planned))
	}
	for _, slot := range slots {
		t.runs[slot.Side] = append(t.runs[slot.Side], both[slot.Side])
		t.count(slot.Side, both[slot.Side].record.Summary.Checks)
	}
	return nil
}

// count counts the checks of a run.
func (t *trials) count(side compare.Side, checks []results.Check) {
	for _, e := range checks {
		at := slices.IndexFunc(t.claims, func(c claimOfRuns) bool { return c.expr == e.Expr })
		if at < 0 {
			at, t.claims = len(t.claims), append(t.claims, claimOfRuns{expr: e.Expr})
		}
		switch {
		case e.Fails():
			t.claims[at].failed[side]++
		case !e.IsJudged():
			t.claims[at].inconclusive[side]++
		}
	}
}

// measure makes a run and returns its record, judged by this build, with the metrics.
func (t *trials) measure(ctx context.Context, slot compare.Slot, try int) (one measured, err error) {
	folder := ""
	if t.folder != "" {
		name := fmt.Sprintf("%02d-%v", slot.Pair+1, slot.Side)
		if try > 0 {
			name += fmt.Sprintf("-again-%d", try)
		}
		folder = filepath.Join(t.folder, name)
	}
	record, err := t.arms[slot.Side](ctx, folder)
	if err != nil {
		return one, err
	}
	t.made++
	record.Summary = verdict.Judge(record)
	if record.Summary.Validity != results.Valid {
		return one, fmt.Errorf("%w: it is %s: %s", errNotValid, record.Summary.Validity, strings.Join(record.Summary.Reasons, "; "))
	}
	one.record = record
	figures, late := figure.NewFigures(record), verdict.LateIn(record)
	for i := range t.metrics {
		m := &t.metrics[i]
		if why := m.Late(figures, late); why != "" {
			return one, fmt.Errorf("%w: %s, for %s", errLate, m.Name, why)
		}
		value, why := m.Value(figures)
		if why != "" {
			return one, fmt.Errorf("%w: %s: %s; expected longer runs, or other metrics", errNotMeasured, m.Name, why)
		}
		one.values = append(one.values, value)
	}
	return one, nil
}

// values returns a metric of the runs of a side.
func (t *trials) values(side compare.Side, metric int) []float64 {
	var list []float64
	for _, one := range t.runs[side] {
		list = append(list, one.values[metric])
	}
	return list
}

// build returns the side that runs a build of this program.
func (g *Live) build(path, file string) maker {
	return func(ctx context.Context, folder string) (*results.Record, error) {
		bounded, end := clock.WithTimeout(ctx, clock.NewReal(), maxRun(g.Scenario), errTooLong)
		defer end()
		arguments := append([]string{"run", file, "--format", "json", "--quiet", "--no-probe"}, g.Arguments...)
		ended, err := g.launch(bounded, path, append(arguments, "--out", folder))
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errTooLong):
			return nil, fmt.Errorf("%w: %w", errNotValid, err)
		case err != nil:
			return nil, wrong("", "cannot run %s: %v; expected a loadgen build", path, reason(err))
		case ended.code == codeUsage:
			return nil, wrong("", "%s rejects the scenario: %s", path, ended.said)
		case ended.code != codeOk && ended.code != codeExpectation && ended.code != codeUntold:
			return nil, fmt.Errorf("%w: exit code %d: %s", errNotValid, ended.code, ended.said)
		}
		record, err := results.Read(results.Dir(folder))
		if err != nil {
			return nil, wrong("", "%s left no readable record: %v; expected a build no newer than this", path, err)
		}
		return record, nil
	}
}

// ending is the result of a build that was run.
type ending struct {
	// code is its exit code, −1 after a signal, said its last line on standard error.
	code int
	said string
}

// launch runs a build of this program in its own process and waits for it. It returns an error if the build cannot be
// started, or if the context ends, which kills it.
type launch func(ctx context.Context, build string, args []string) (ending, error)

var _ launch = launched

// errTooLong is the cause of a context that ended a run which did not.
var errTooLong = errors.New("run does not end")

// killedWithin is the maximum time in which children of a killed build may keep its output open.
const killedWithin = 5 * time.Second

func launched(ctx context.Context, build string, args []string) (ending, error) {
	stderr := new(tail)
	c := exec.CommandContext(ctx, build, args...)
	c.Stderr, c.WaitDelay = stderr, killedWithin
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return ending{}, context.Cause(ctx)
	case err == nil, errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
		return ending{c.ProcessState.ExitCode(), stderr.line()}, nil
	default:
		return ending{}, err
	}
}

// tail keeps the last bytes of what is written to it.
type tail struct{ kept []byte }

const maxTail = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(text []byte) (int, error) {
	t.kept = append(t.kept, text[max(0, len(text)-maxTail):]...)
	t.kept = t.kept[max(0, len(t.kept)-maxTail):]
	return len(text), nil
}

// line returns the last line, cut to what can be shown.
func (t *tail) line() string {
	const most = 300
	text := bytes.TrimSpace(bytes.ToValidUTF8(t.kept, []byte("?")))
	line := string(text[bytes.LastIndexByte(text, '\n')+1:])
	line = strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, line)
	return strings.TrimPrefix(line[:min(len(line), most)], "loadgen: ")
}

// executable returns the path of an older build that can be run. The error is a
// [loadgen/scenarios/fields.Fault] of the field "against".
func executable(name string) (string, error) {
	path, err := exec.LookPath(name)
	switch {
	case err == nil, errors.Is(err, exec.ErrDot):
		return filepath.Abs(path)
	case filepath.Base(name) == name:
		return "", wrong("against", "no such program on the path; expected a build, such as ./%s", name)
	default:
		return "", wrong("against", "%v; expected an executable build of loadgen", reason(err))
	}
}
