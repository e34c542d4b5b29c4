package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/report/ranking"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// bout is one run of a contest.
type bout struct {
	arm *contender
	run int
	// profile is the model's, empty for that of the scenario.
	profile string
}

// bouts returns the runs of a contest on the virtual clock, round by round, so that one
// that is ended early has as many runs of each design as can be.
func (t *tournament) bouts() []bout {
	var list []bout
	for run := range t.seeds {
		for _, arm := range t.arms {
			if len(arm.cannot) > 0 {
				continue
			}
			list = append(list, bout{arm, run, ""})
			if t.other != "" {
				list = append(list, bout{arm, run, t.other})
			}
		}
	}
	return list
}

// scenario returns what a run carries out. What the scenario expects, it expects of its
// own profile.
func (b *bout) scenario(root uint64) *scenarios.Scenario {
	s := *b.arm.scenario
	s.Seed = seedOf(root, b.arm.design, b.run)
	if b.profile != "" {
		s.Model.Profile, s.Expect = b.profile, nil
	}
	return &s
}

// virtually carries all runs out on the virtual clock, as many at once as there are
// processors and memory for, and waits for them. Its error is what ended it early.
func (t *tournament) virtually(ctx context.Context, memory string, command []string) error {
	list := t.bouts()
	atOnce, err := t.atOnce(memory, len(list))
	if err != nil {
		return err
	}
	fmt.Fprintf(t.told, "%d designs, %d of them to be run, each %d times%s on the virtual clock: %d runs, %d at once\n",
		len(t.arms), t.able(), t.seeds, t.twice(), len(list), atOnce)
	within, stop := context.WithCancel(ctx)
	defer stop()
	faults := make([]error, len(list))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range atOnce {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)) && within.Err() == nil; i = next.Add(1) - 1 {
				if faults[i] = t.simulate(within, &list[i], command); faults[i] != nil {
					stop()
				}
				t.tell(&list[i], len(list))
			}
		})
	}
	workers.Wait()
	if ended := firstOf(faults); ended != nil || t.done == len(list) {
		return ended
	}
	return ctx.Err()
}

// firstOf returns what ended a contest: an error that is no consequence of the end.
func firstOf(faults []error) error {
	var ended error
	for _, err := range faults {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if ended == nil {
			ended = err
		}
	}
	return ended
}

func (t *tournament) twice() string {
	if t.other == "" {
		return ""
	}
	return " under each of two profiles"
}

// able returns how many designs can be run.
func (t *tournament) able() int {
	n := 0
	for _, arm := range t.arms {
		if len(arm.cannot) == 0 {
			n++
		}
	}
	return n
}

// simulate carries one run out and takes down what it came to.
func (t *tournament) simulate(ctx context.Context, b *bout, command []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := b.scenario(t.root)
	alone := append(append([]string{}, command...), "--use="+b.arm.design, "--seed="+strconv.FormatUint(s.Seed, 10))
	sim, err := newSimulation(s, s.Verify || s.Reads(), time.Unix(0, 0), alone, drive.Options{Verify: s.Verify})
	if err != nil {
		return fmt.Errorf("design %s: %w", b.arm.design, err)
	}
	// When it was is no part of what it comes to, and of interest to who keeps it.
	sim.manifest.Started = t.clock.Started().UTC().Round(0)
	kept, err := sim.remember(ctx)
	if err != nil && !errors.Is(err, drive.ErrStopped) {
		return fmt.Errorf("design %s: %w", b.arm.design, err)
	}
	t.enter(b, kept)
	return nil
}

// enter takes down what a run came to. It may be called concurrently.
func (t *tournament) enter(b *bout, kept *finished) {
	trial := ranking.Measure(kept.record, kept.summary, t.needs)
	t.mu.Lock()
	defer t.mu.Unlock()
	if b.profile != "" {
		b.arm.others[b.run] = &trial
		return
	}
	b.arm.trials[b.run] = &trial
	if b.arm.first == nil || b.run < b.arm.number {
		b.arm.first, b.arm.number = kept, b.run
	}
}

// tellEvery is the least time between two lines of progress.
const tellEvery = time.Second

// tell says on standard error how far the contest is, at most once a second.
func (t *tournament) tell(b *bout, all int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	now := t.clock.Now().Offset()
	if t.done < all && now-t.last < tellEvery {
		return
	}
	t.last = now
	fmt.Fprintf(t.told, "%d of %d runs, the last of %s%s\n", t.done, all, b.arm.design, remaining(t.clock, t.done, all))
}

// atOnce returns how many runs may be carried out at once: as many as there are
// processors, and as fit into memory. That not one does is a fault of usage.
func (t *tournament) atOnce(memory string, runs int) (int, error) {
	limit, err := parseSize(memory)
	if err != nil {
		return 0, usageError{fmt.Errorf("--memory-limit %s: %w", memory, errSize)}
	}
	most, design := int64(1), ""
	for _, arm := range t.arms {
		if len(arm.cannot) > 0 {
			continue
		}
		s := arm.scenario
		campaign, err := drive.NewCampaign(drive.Options{Scenario: s, Table: tablePrefix + s.Table, NewName: true, Verify: s.Verify})
		if err != nil {
			return 0, usageError{fmt.Errorf("design %s: %w", arm.design, err)}
		}
		if need := campaign.Footprint(s.Verify || s.Reads()).Total(); need > most {
			most, design = need, arm.design
		}
	}
	if most > limit {
		return 0, usageError{fmt.Errorf("a run of the design %s would take about %s, and --memory-limit is %s", design, sizeOf(most), memory)}
	}
	return int(min(int64(min(runtime.GOMAXPROCS(0), max(1, runs))), max(1, limit/most), math.MaxInt32)), nil
}

// recordsOf writes the record of a run that was kept in memory into a folder.
func recordsOf(kept *finished, folder results.Dir) error {
	memory, some := kept.folder.(*results.Memory)
	if !some {
		return nil
	}
	for _, name := range []string{results.IntervalsFile, results.EventsFile, results.RunFile} {
		if err := folder.Replace(name, memory.Bytes(name)); err != nil {
			return fmt.Errorf("%w: %w", results.ErrWrite, err)
		}
	}
	return nil
}
