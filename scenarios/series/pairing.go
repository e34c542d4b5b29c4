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

// pairing are pairs that are run. Whoever made it calls run once.
type pairing struct {
	// builds are the paths of A and B, file the scenario that both run, folder the one
	// of their runs.
	builds       [2]string
	file, folder string
	metrics      []figure.ClaimMetric
	// most is how long a run may take.
	most   time.Duration
	clock  clock.Real
	launch launch
	told   io.Writer

	// done counts pairs, runs those of them that left a record; again are the reasons
	// why pairs were repeated.
	done, runs int
	again      []string
	trials     []compare.Trial
	claims     []claimOfPairs
	// tools are the builds as their records name them, texts what they took the
	// scenario for.
	tools [2]results.Tool
	texts [2]string
}

// claimOfPairs is a claim of the scenario, how many runs of A and of B did not bear it
// out, and how many could say nothing of it.
type claimOfPairs struct {
	expr           string
	failed, untold [2]int
}

// maxRepeats is how often a pair is repeated where one of its runs is not valid, or the
// generator was late where a metric is taken.
const maxRepeats = 2

// The ends of a pairing before its last pair.
var (
	errNotValid = errors.New("invalid run")
	errLate     = errors.New("client-limited figure")
	errUntold   = errors.New("figure not measured")
)

// run takes so many pairs, in the order that cancels drift. Its error wraps
// [errNotValid], [errLate], [errUntold], the end of the context, or a [loadgen/scenarios/fields.Fault] of a build.
func (p *pairing) run(ctx context.Context, pairs int) error {
	for _, m := range p.metrics {
		p.trials = append(p.trials, compare.Trial{Metric: compare.Metric{Name: m.String(), Higher: m.Higher, Floor: m.Floor}})
	}
	order := compare.Order(pairs)
	for pair := range pairs {
		slots := order[2*pair : 2*pair+2]
		for try := 0; ; try++ {
			err := p.pair(ctx, slots, pairs, try)
			if err == nil {
				break
			}
			if !spoiled(err) || try == maxRepeats {
				return err
			}
			p.again = append(p.again, results.OneLine(err))
		}
		p.done++
	}
	return nil
}

// spoiled reports whether a pair is worth repeating: what its runs came to is not the
// builds'.
func spoiled(err error) bool { return errors.Is(err, errNotValid) || errors.Is(err, errLate) }

// pair runs both builds once, and counts what came of it where nothing spoils it.
func (p *pairing) pair(ctx context.Context, slots []compare.Slot, pairs, try int) error {
	var records [2]*results.Record
	var values [2][]float64
	for i, slot := range slots {
		name := fmt.Sprintf("%02d-%v", slot.Pair+1, slot.Side)
		if try > 0 {
			name += fmt.Sprintf("-again-%d", try)
		}
		var err error
		if records[slot.Side], values[slot.Side], err = p.one(ctx, slot.Side, filepath.Join(p.folder, name)); err != nil {
			fmt.Fprintf(p.told, "pair %d of %d, %v: %s\n", slot.Pair+1, pairs, slot.Side, results.OneLine(err))
			return fmt.Errorf("pair %d, %v: %w", slot.Pair+1, slot.Side, err)
		}
		var words []string
		for at, m := range p.metrics {
			words = append(words, fmt.Sprintf("%s %s", m, m.Told(values[slot.Side][at])))
		}
		fmt.Fprintf(p.told, "pair %d of %d, %v: %s%s\n", slot.Pair+1, pairs, slot.Side, strings.Join(words, ", "),
			remaining(p.clock, 2*p.done+i+1, 2*pairs))
	}
	for i := range p.trials {
		p.trials[i].Pairs = append(p.trials[i].Pairs, compare.Pair{A: values[compare.A][i], B: values[compare.B][i]})
	}
	for side, record := range records {
		p.tools[side], p.texts[side] = record.Manifest.Tool, record.Manifest.Scenario.Text
		for _, e := range record.Summary.Checks {
			at := slices.IndexFunc(p.claims, func(c claimOfPairs) bool { return c.expr == e.Expr })
			if at < 0 {
				at = len(p.claims)
				p.claims = append(p.claims, claimOfPairs{expr: e.Expr})
			}
			switch {
			case e.Fails():
				p.claims[at].failed[side]++
			case !e.Told():
				p.claims[at].untold[side]++
			}
		}
	}
	return nil
}

// one runs a build once and returns its record, judged by this build, and the metrics of that in
// their order.
func (p *pairing) one(ctx context.Context, side compare.Side, folder string) (*results.Record, []float64, error) {
	bounded, end := clock.Within(ctx, p.clock, p.most, errTooLong)
	defer end()
	build := p.builds[side]
	ended, err := p.launch(bounded, build, []string{"run", p.file, "--format", "json", "--quiet", "--no-probe", "--out", folder})
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case errors.Is(err, errTooLong):
		return nil, nil, fmt.Errorf("%w: %w", errNotValid, err)
	case err != nil:
		return nil, nil, wrong("", "cannot run %s: %v; expected a loadgen build", build, reason(err))
	case ended.code == codeUsage:
		return nil, nil, wrong("", "%s rejects the scenario: %s", build, ended.said)
	case ended.code != codeOk && ended.code != codeExpectation && ended.code != codeUntold:
		return nil, nil, fmt.Errorf("%w: exit code %d: %s", errNotValid, ended.code, ended.said)
	}
	record, err := results.Read(results.Dir(folder))
	if err != nil {
		return nil, nil, wrong("", "%s left no readable record: %v; expected a build no newer than this", build, err)
	}
	p.runs++
	record.Summary = verdict.Judge(record)
	if record.Summary.Validity != results.Valid {
		return nil, nil, fmt.Errorf("%w: it is %s: %s", errNotValid, record.Summary.Validity, strings.Join(record.Summary.Reasons, "; "))
	}
	var values []float64
	figures, late := figure.Of(record), verdict.LateIn(record)
	for _, m := range p.metrics {
		if why := figures.Late(m.Figure, late); why != "" {
			return nil, nil, fmt.Errorf("%w: %s, for %s", errLate, m, why)
		}
		value, told := figures.Look(m.Figure, m.Unit)
		if !told {
			return nil, nil, fmt.Errorf("%w: %s lacks data, or is not recorded; "+
				"expected longer runs, or other metrics (gate)", errUntold, m)
		}
		values = append(values, value)
	}
	return record, values, nil
}

// ending is how a build that was run has ended.
type ending struct {
	// code is its exit code, −1 where a signal ended it.
	code int
	// said is the last line that it wrote to standard error.
	said string
}

// launch runs a build of this program in a process of its own, and waits for it. It
// returns an error where it cannot be started, and where the context ends, by which it
// is killed.
type launch func(ctx context.Context, build string, args []string) (ending, error)

var _ launch = launched

// errTooLong is the cause of a context that ended a run which did not.
var errTooLong = errors.New("run does not end")

// killedWithin is how long what a killed build has started may hold on to its output.
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
