package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgenbench/process"
)

// ErrUntold says that this system does not tell what a process has used of the CPU: there is
// nothing to compare.
var ErrUntold = process.ErrUntold

// bench is what is measured under way.
type bench struct {
	Options
	taken  taken
	report *Report
}

// Measure measures the requested groups and returns them: after an early end, the groups that
// were whole. Its error wraps [ErrUntold], is that of the context, or says what failed.
func Measure(ctx context.Context, o Options) (*Report, error) {
	if faults := o.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if _, told := run.CPU(); !told {
		return nil, ErrUntold
	}
	b := &bench{Options: o.filled()}
	b.report = &Report{Schema: Schema, Tool: results.Tool{Version: run.Version(), Commit: run.Commit(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH}, CPUs: runtime.NumCPU(), Cores: runtime.GOMAXPROCS(0),
		Began: o.Clock.Started().UTC().Round(time.Second), Rounds: b.Rounds, Quick: b.Quick, Groups: b.Groups}
	if b.report.Cores == 1 {
		b.report.note("One core: load and server share it; CPU per operation is unaffected.")
	}
	b.taken.begin(o.Clock)
	var failed error
	for _, group := range Groups() {
		if failed == nil && b.has(group) {
			failed = b.group(ctx, group)
		}
	}
	b.report.Taken = b.taken.end()
	b.report.Lasted = b.Clock.Now().Offset().Seconds()
	b.report.compare()
	b.report.judge()
	return b.report, failed
}

// group measures one group.
func (b *bench) group(ctx context.Context, name string) error {
	measure := map[string]func(context.Context) error{
		GroupServer: b.server, GroupDriver: b.driver, GroupPacing: b.pacing, GroupSimulator: b.simulator,
		GroupEngine: b.engine, GroupRecord: b.record, GroupCommands: b.commands,
	}[name]
	if err := measure(ctx); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// server measures this program's server and others.
func (b *bench) server(ctx context.Context) (err error) {
	list, notes, err := b.servers(ctx)
	defer func() {
		for _, s := range list {
			err = errors.Join(err, s.close())
		}
	}()
	for _, note := range notes {
		b.report.note(note)
	}
	if err != nil {
		return err
	}
	cells, err := b.handlerCells(ctx, list)
	if err != nil {
		return err
	}
	if err := b.rounds(ctx, append(b.serverCells(list), cells...)); err != nil {
		return err
	}
	for _, s := range list {
		bytes, err := s.child.Memory()
		if err != nil {
			return err
		}
		b.report.add(Figure{Cell: Cell{GroupServer, "resident memory", "after everything", s.name}, Unit: "MiB"}, []float64{float64(bytes) / (1 << 20)})
	}
	return nil
}

// rounds measures cells once a round and writes down their figures. Those that differ in who
// does it alone follow one another, and who is first rotates.
func (b *bench) rounds(ctx context.Context, cells []cell) error {
	found, fails := make([][]reading, len(cells)), map[string]bool{}
	for round := range b.Rounds {
		b.taken.look(b.Clock)
		b.Tell(fmt.Sprintf("%s: round %d of %d", cells[0].Group, round+1, b.Rounds))
		for _, family := range families(cells) {
			first := cells[family[0]]
			sums := make([]reading, len(family))
			turns := b.turns()
			if first.once {
				turns = 1
			}
			for turn := range turns * len(family) {
				at := (round + turn) % len(family)
				c := &cells[family[at]]
				if turn >= len(family) && c.slow || fails[c.Of] {
					continue
				}
				r, err := c.run(ctx)
				if err != nil && c.slow && ctx.Err() == nil { // a peer's failure is not this tool's
					fails[c.Of] = true
					b.report.note(fmt.Sprintf("%s failed in round %d and was left out: %v.", c.Of, round+1, err))
					continue
				}
				if err != nil {
					return err
				}
				sums[at].plus(r)
			}
			for i, at := range family {
				if fails[cells[at].Of] {
					continue
				}
				found[at] = append(found[at], sums[i])
			}
		}
	}
	for i, c := range cells {
		if len(found[i]) > 0 {
			b.report.enter(&c, found[i])
		}
	}
	return nil
}

// families are the positions of cells that differ in who does it alone.
func families(cells []cell) [][]int {
	var list [][]int
	for i := range cells {
		if i == 0 || cells[i].What != cells[i-1].What || cells[i].At != cells[i-1].At {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], i)
	}
	return list
}
