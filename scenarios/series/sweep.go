package series

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// Sweep is a run for each combination of the values of some paths.
type Sweep struct {
	// Axes are the paths with their values, each a text such as seed=1,2,3: values are
	// parted by commas, or by semicolons where there are any, and within brackets, braces
	// and double quotes neither parts.
	Axes []string
	// Count, above 0, repeats one run that often in place of axes: with this Seed where load
	// is sent in real time, which varies by itself, and otherwise each with the next one.
	Count int
	Seed  uint64
	Live  bool
	// Plan returns the plan of the run that has these settings. Of errors that are
	// [fields.Faults], those of all runs are told together, each once.
	Plan func(set []scenarios.Setting) (run.Plan, error)
	// Out is a folder in which each run has one of its own, by its number; empty for where
	// the plans say.
	Out string
	// Exit returns the exit code that a run which ended so has by itself.
	Exit func(record *results.Record, ended error) int
	// Told is told of each run as it begins and as it ends.
	Told io.Writer
}

// Swept are the runs of a sweep that were made.
type Swept struct {
	Made []Tried
	// Asked is how many runs the sweep comes to.
	Asked int
}

// Tried is a run of a sweep that was made.
type Tried struct {
	Set []scenarios.Setting
	// Folder is where its record is, empty for one in memory.
	Folder string
	Record *results.Record
	// Exit is the exit code that the run has by itself.
	Exit int
}

// Run makes the runs one after another, the last axis changing fastest. All plans are
// found sound before the first of them. A run that a budget ended is one like any other;
// whatever else ends one early ends the sweep, and is its error. What is wrong with the
// sweep itself is [fields.Faults] or a [fields.Fault] of the field "sweep" or "out".
func (s *Sweep) Run(ctx context.Context) (Swept, error) {
	sets, err := s.sets()
	if err != nil {
		return Swept{}, err
	}
	plans, err := s.plans(sets)
	if err != nil {
		return Swept{}, err
	}
	swept, start := Swept{Asked: len(sets)}, clock.NewReal()
	for i, plan := range plans {
		if err := ctx.Err(); err != nil {
			return swept, err
		}
		number := fmt.Sprintf("%d of %d", i+1, len(plans))
		fmt.Fprintf(s.Told, "%s: %s%s\n", number, inWords(sets[i]), remaining(start, i, len(plans)))
		plan.Precede(i < len(plans)-1)
		one, also := Tried{Set: sets[i]}, plan.Kept
		plan.Kept = func(folder results.Folder, record *results.Record) error {
			if made, some := folder.(results.Dir); some {
				one.Folder = string(made)
			}
			if also == nil {
				return nil
			}
			return also(folder, record)
		}
		record, ended := run.Run(ctx, plan)
		if record != nil {
			one.Record, one.Exit = record, s.Exit(record, ended)
			swept.Made = append(swept.Made, one)
			if one.Folder != "" {
				fmt.Fprintf(s.Told, "%s: run in %s\n", number, one.Folder)
			}
		}
		if ended != nil && ended != run.ErrBudget && !errors.Is(ended, drive.ErrStopped) {
			return swept, ended
		}
		if ended != nil {
			fmt.Fprintf(s.Told, "%s: %s\n", number, results.OneLine(ended))
		}
	}
	return swept, nil
}

// sets returns the settings of each run.
func (s *Sweep) sets() ([][]scenarios.Setting, error) {
	switch {
	case s.Count == 0:
		return combinations(s.Axes)
	case s.Count < 0 || s.Count > MostRuns || len(s.Axes) > 0:
		return nil, wrong("count", "expected 1 to %d, not swept", MostRuns)
	}
	var sets [][]scenarios.Setting
	for i := range uint64(s.Count) {
		seed := s.Seed
		if !s.Live {
			seed += i
		}
		sets = append(sets, []scenarios.Setting{{Path: "seed", Value: strconv.FormatUint(seed, 10)}})
	}
	return sets, nil
}

// Benchmarks writes the runs in the format of Go's benchmarks, as `go test -count` does:
// each run has its lines, whose names are those of the others. Its error is the writer's,
// wrapped.
func (s *Swept) Benchmarks(w io.Writer) error {
	var text export.BenchmarkText
	for i := range s.Made {
		text.Run(s.Made[i].Record, s.Made[i].Record.Summary)
	}
	return text.Write(w)
}

// plans returns the plan of each run, all of them sound and with a folder that holds no
// run yet.
func (s *Sweep) plans(sets [][]scenarios.Setting) ([]run.Plan, error) {
	var plans []run.Plan
	var all fields.Faults
	for _, set := range sets {
		plan, err := s.Plan(set)
		var faults fields.Faults
		if err != nil && !errors.As(err, &faults) {
			return nil, err
		}
		for _, fault := range faults {
			if !slices.Contains(all, fault) {
				all = append(all, fault)
			}
		}
		plans = append(plans, plan)
	}
	if len(all) > 0 {
		return nil, all
	}
	for i := range plans {
		if err := fields.FaultsOf(plans[i].Validate()); err != nil {
			return nil, err
		}
	}
	if s.Out == "" {
		return plans, nil
	}
	if info, err := os.Stat(s.Out); err == nil && !info.IsDir() {
		return nil, wrong("out", "a file; expected a folder")
	}
	digits := len(fmt.Sprint(len(plans)))
	for i := range plans {
		plans[i].Out = filepath.Join(s.Out, fmt.Sprintf("%0*d", digits, i+1))
		if _, err := os.Stat(filepath.Join(plans[i].Out, results.RunFile)); err == nil {
			return nil, wrong("out", "%s already holds a run; expected another folder", plans[i].Out)
		}
	}
	return plans, nil
}

// Exit returns the exit code that comes first among those of the runs, 0 where all is
// well.
func (s *Swept) Exit() int {
	for _, code := range []int{codeInvalid, codeExpectation, codeUntold} {
		if slices.ContainsFunc(s.Made, func(t Tried) bool { return t.Exit == code }) {
			return code
		}
	}
	return 0
}

func inWords(set []scenarios.Setting) string {
	words := make([]string, len(set))
	for i, one := range set {
		words[i] = one.String()
	}
	return strings.Join(words, ", ")
}

// remaining says how long the rest of a series may take, once one run is over.
func remaining(start clock.Real, done, all int) string {
	if done == 0 {
		return ""
	}
	passed := start.Now().Offset()
	return aboutLeft(passed / time.Duration(done) * time.Duration(all-done))
}

func aboutLeft(d time.Duration) string { return " (about " + document.Minutes(d.Seconds()) + " left)" }

// MostRuns bounds how many runs a sweep comes to.
const MostRuns = 100

// combinations returns the settings of each run of a sweep over axes, each a text such as
// seed=1,2,3, the last of them changing fastest. The error is a [loadgen/scenarios/fields.Fault] of the
// field "sweep".
func combinations(axes []string) ([][]scenarios.Setting, error) {
	all := [][]scenarios.Setting{nil}
	var seen []string
	for _, text := range axes {
		path, list, cut := strings.Cut(text, "=")
		if !cut || path == "" {
			return nil, wrong("sweep", "%s: expected path=v1,v2,…, such as model.partition_target=500,1000,2000", text)
		}
		values, err := splitValues(list)
		for i, value := range values {
			if value == "" {
				err = errors.New("empty value; expected one between commas")
				break
			}
			if slices.Contains(values[:i], value) {
				err = errors.New("a value occurs twice; expected once")
				break
			}
		}
		if err != nil {
			return nil, wrong("sweep", "%s: %v", text, err)
		}
		if slices.Contains(seen, path) {
			return nil, wrong("sweep", "%s: %s is swept twice; expected all values together", text, path)
		}
		seen = append(seen, path)
		if runs := len(all) * len(values); runs > MostRuns {
			return nil, wrong("sweep", "%s: %d runs; expected at most %d", text, runs, MostRuns)
		}
		var next [][]scenarios.Setting
		for _, before := range all {
			for _, value := range values {
				next = append(next, append(slices.Clip(before), scenarios.Setting{Path: path, Value: value}))
			}
		}
		all = next
	}
	return all, nil
}

var errUnbalanced = errors.New("unclosed bracket, brace or quote; expected its counterpart")

// splitValues parts a list of values at its semicolons, or at its commas where it
// has no semicolon: those outside of brackets, braces and double quotes.
func splitValues(list string) ([]string, error) {
	values, err := splitAt(list, ';')
	if err == nil && len(values) == 1 {
		return splitAt(list, ',')
	}
	return values, err
}

func splitAt(list string, separator byte) ([]string, error) {
	var values []string
	var open []byte // what is to be closed, the last first to be
	start := 0
	for at := range len(list) {
		inside := len(open) > 0
		switch c := list[at]; {
		case inside && c == open[len(open)-1]:
			open = open[:len(open)-1]
		case inside && open[len(open)-1] == '"':
			// Quotes hold whatever there is.
		case c == '"':
			open = append(open, '"')
		case c == '[':
			open = append(open, ']')
		case c == '{':
			open = append(open, '}')
		case c == separator && !inside:
			values = append(values, strings.TrimSpace(list[start:at]))
			start = at + 1
		}
	}
	if len(open) > 0 {
		return nil, errUnbalanced
	}
	return append(values, strings.TrimSpace(list[start:])), nil
}
