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
	// Axes are the paths with their values, each a text such as seed=1,2,3. Values are separated
	// by commas, or by semicolons if there are any, outside of brackets, braces and double quotes.
	Axes []string
	// Count, above 0, repeats one run that often in place of axes: with this Seed in real time,
	// which varies by itself, and otherwise each with the next seed.
	Count int
	Seed  uint64
	Live  bool
	// Plan returns the plan of the run that has these settings. Errors that are [fields.Faults]
	// are reported for all runs together, each once.
	Plan func(set []scenarios.Setting) (run.Plan, error)
	// Out is a folder with a folder for each run, by its number; if it is empty, the plans decide.
	Out string
	// Exit returns the exit code of a run that ended so.
	Exit func(record *results.Record, ended error) int
	// Progress gets a line when a run begins and when it ends.
	Progress io.Writer
}

// Swept are the runs of a sweep that were made.
type Swept struct {
	Made []Tried
	// Asked is the planned number of runs.
	Asked int
}

// Tried is a run of a sweep.
type Tried struct {
	Set []scenarios.Setting
	// Folder has its record, empty for one in memory.
	Folder string
	Record *results.Record
	// Exit is the exit code of the run alone.
	Exit int
}

// Run makes the runs one after another, the last axis changing fastest, after all plans were
// validated. A run that a budget ended does not end the sweep; another early end does, and is its
// error. Faults of the sweep are [fields.Faults] or a [fields.Fault] of the field "sweep" or "out".
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
		fmt.Fprintf(s.Progress, "%s: %s%s\n", number, inWords(sets[i]), remaining(start, i, len(plans)))
		plan.Precede(i < len(plans)-1)
		one, kept := Tried{Set: sets[i]}, plan.Kept
		plan.Kept = func(folder results.Folder, record *results.Record) error {
			if made, stored := folder.(results.Dir); stored {
				one.Folder = string(made)
			}
			if kept == nil {
				return nil
			}
			return kept(folder, record)
		}
		record, ended := run.Run(ctx, plan)
		if record != nil {
			one.Record, one.Exit = record, s.Exit(record, ended)
			swept.Made = append(swept.Made, one)
			if one.Folder != "" {
				fmt.Fprintf(s.Progress, "%s: run in %s\n", number, one.Folder)
			}
		}
		switch {
		case ended == nil:
		case ended != run.ErrBudget && !errors.Is(ended, drive.ErrStopped):
			return swept, ended
		default:
			fmt.Fprintf(s.Progress, "%s: %s\n", number, results.OneLine(ended))
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

// Benchmarks writes the runs in the format of Go's benchmarks, as `go test -count` does: all runs
// have lines with the same names. Its error is the writer's, wrapped.
func (s *Swept) Benchmarks(w io.Writer) error {
	var text export.BenchmarkText
	for i := range s.Made {
		text.Run(s.Made[i].Record, s.Made[i].Record.Summary)
	}
	return text.Write(w)
}

// plans returns the plan of each run, all of them valid and with an unused folder.
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

// Exit returns the exit code with the highest precedence among those of the runs.
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

// remaining returns how long the rest of a series may take, empty before the first run is over.
func remaining(start clock.Real, done, all int) string {
	if done == 0 {
		return ""
	}
	passed := start.Now().Offset()
	return aboutLeft(passed / time.Duration(done) * time.Duration(all-done))
}

func aboutLeft(d time.Duration) string { return " (about " + document.Minutes(d.Seconds()) + " left)" }

// MostRuns is the maximum number of runs of a sweep.
const MostRuns = 100

// combinations returns the settings of each run of a sweep over axes, each a text such as
// seed=1,2,3, the last of them changing fastest. The error is a [loadgen/scenarios/fields.Fault] of the
// field "sweep".
func combinations(axes []string) ([][]scenarios.Setting, error) {
	all := [][]scenarios.Setting{nil}
	for i, text := range axes {
		path, list, found := strings.Cut(text, "=")
		if !found || path == "" {
			return nil, wrong("sweep", "%s: expected path=v1,v2,…, such as model.partition_target=500,1000,2000", text)
		}
		values, err := splitValues(list)
		switch runs := len(all) * len(values); {
		case err != nil:
			return nil, wrong("sweep", "%s: %v", text, err)
		case slices.ContainsFunc(axes[:i], func(other string) bool { return strings.HasPrefix(other, path+"=") }):
			return nil, wrong("sweep", "%s: %s is swept twice; expected all values together", text, path)
		case runs > MostRuns:
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

// splitValues splits a list of different values at its semicolons, or at its commas if it has no
// semicolon outside of brackets, braces and double quotes.
func splitValues(list string) ([]string, error) {
	values, err := splitAt(list, ';')
	if err == nil && len(values) == 1 {
		values, err = splitAt(list, ',')
	}
	for i, value := range values {
		if value == "" {
			return nil, errors.New("empty value; expected one between commas")
		}
		if slices.Contains(values[:i], value) {
			return nil, errors.New("a value occurs twice; expected once")
		}
	}
	return values, err
}

func splitAt(list string, separator byte) (values []string, err error) {
	closers := map[byte]byte{'[': ']', '{': '}', '"': '"'}
	var open []byte // the expected closers, the next one last
	start := 0
	for at := range len(list) {
		c, last := list[at], byte(0)
		if len(open) > 0 {
			last = open[len(open)-1]
		}
		switch closer := closers[c]; {
		case last != 0 && c == last:
			open = open[:len(open)-1]
		case last == '"':
		case closer != 0:
			open = append(open, closer)
		case c == separator && last == 0:
			values = append(values, strings.TrimSpace(list[start:at]))
			start = at + 1
		}
	}
	if len(open) > 0 {
		return nil, errors.New("unclosed bracket, brace or quote; expected its counterpart")
	}
	return append(values, strings.TrimSpace(list[start:])), nil
}
