package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// Offering sends the load of one run, or of several one after another, from several processes. Callers must close it.
type Offering struct {
	// Members is the number of processes, which have to join within Deadline.
	Members  int
	Deadline time.Duration
	// Bus is where they join.
	Bus BusOptions
	// Local is the command line that starts a member on this machine; nil waits for members of other machines.
	Local []string
	// FinishOnLoss continues a run after the loss of a member.
	FinishOnLoss bool
	// Folder is the base of relative paths in the scenario.
	Folder string
	// Notify handles a line for the user. Members choose parts of it: it may have control characters. MemberErrors is where
	// the errors of members on this machine are written; nil drops them.
	Notify       func(line string)
	MemberErrors io.Writer

	// leadership is nil before the first run and after the last. kill ends the processes.
	leadership *leadership
	bus        *bus
	// processes are the members on this machine, with the end of their standard error.
	processes []*exec.Cmd
	kill      context.CancelFunc
}

// localStartAfter is the time from the last ready member to the start on one machine, where messages are fast.
const localStartAfter = time.Second

// errTarget is wrapped if a member's target is not the leader's.
var errTarget = errors.New("the member's --target")

// Fill lets the fleet send the load of a valid plan. Errors are [fields.Fault] of its flags.
func (o *Offering) Fill(p *run.Plan) error {
	switch {
	case o.Members < 1 || o.Members > protocol.MaxMembers:
		return fields.Fault{Path: "processes", What: fmt.Sprintf("expected 1 to %d of them", protocol.MaxMembers)}
	case o.Deadline <= 0:
		return fields.Fault{Path: "join-within", What: fmt.Sprintf("%v; expected more than 0", o.Deadline)}
	case o.Local == nil && p.On != run.Remote:
		return fields.Fault{Path: "lead", What: "other machines cannot reach this process's engine; expected the same --target URL for each member"}
	}
	p.Elsewhere = &run.Elsewhere{Processes: o.Members, Offer: o.offer}
	return nil
}

// assignment returns the assignment of a run.
func (o *Offering) assignment(p *run.Plan, h run.Handed) (protocol.Assignment, error) {
	options := planOptions{From: h.From, Mark: h.Mark, Client: p.Client, NoProbe: p.NoProbe, Find: p.Find, RetryChosen: p.RetryChosen, Accounts: addresses(p.Accounts)}
	if o.Local != nil {
		options.Folder = o.Folder
	}
	if p.Budget > 0 {
		options.Budget = max(1, p.Budget/int64(o.Members))
	}
	text, err := json.Marshal(&options)
	return protocol.Assignment{Scenario: p.Scenario.Text(), Target: h.Engine, Table: h.Table, Seed: p.Scenario.Seed, Options: text, Follows: p.Elsewhere.Follows}, err
}

// ErrBroken is wrapped if a member was lost, so that the remaining runs are skipped.
var ErrBroken = errors.New("the remaining runs are skipped")

// offer lets the members send a plan's load, and returns the merged record.
func (o *Offering) offer(ctx context.Context, p *run.Plan, h run.Handed) (record *results.Record, err error) {
	plan := protocol.Plan{Members: o.Members, Deadline: o.Deadline, Version: Version(), FinishOnLoss: o.FinishOnLoss}
	if plan.Assignment, err = o.assignment(p, h); err != nil {
		return nil, err
	}
	if o.Local != nil {
		plan.StartAfter = localStartAfter
	}
	w := &watch{members: o.Members, notify: o.Notify}
	w.progress, _ = p.Progress.(progress)
	if p.Find != nil {
		started, err := p.Searched()
		if err != nil {
			return nil, err
		}
		w.search = &search{Search: started, plan: p, members: o.Members}
		plan.Search = w.search
	} else if w.plan, err = p.Offered(nil, o.Members); err != nil {
		return nil, err
	}
	defer func() {
		if o.leadership != nil && o.leadership.endPause == nil {
			err = errors.Join(err, o.Close())
		}
	}()
	if err := o.start(); err != nil {
		return nil, err
	}
	seconds := newJournal(o.Members, h.AppendSecond)
	run, err := o.leadership.lead(ctx, plan, func(e protocol.Event) {
		seconds.handle(&e)
		w.handle(&e)
	})
	if err != nil {
		return nil, err
	}
	offered := w.plan
	if w.search != nil {
		offered = w.search.offered
	}
	record, err = gather(run, offered, o.Local != nil)
	switch {
	case err != nil && ctx.Err() != nil:
		// The user who stopped it before any member had started knows why there is no record.
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case w.search != nil:
		record.Limit = results.Clone(w.search.Limit())
	}
	switch {
	case ctx.Err() != nil && record.Validity == results.Invalid:
		// The user who stopped it knows that it is incomplete.
		record.Validity, record.Reasons = results.Partial, []string{}
	case ctx.Err() == nil && plan.Assignment.Follows && o.leadership.endPause == nil:
		return record, fmt.Errorf("%w: %s", ErrBroken, strings.Join(run.Faults, " "))
	}
	return record, ctx.Err()
}

// Version returns the build. A leader refuses members of another one.
func Version() string { return strings.TrimSpace(run.Version() + " " + run.Commit()) }

// InputErrors are wrapped by errors of the user's input: an unusable token, address or target.
var InputErrors = [...]error{errToken, errListen, errTarget}

// PeerErrors are wrapped by errors of other processes, which are missing or disagree.
var PeerErrors = [...]error{protocol.ErrFewer, protocol.ErrUnready, protocol.ErrRefused, protocol.ErrNoLeader, protocol.ErrLeaderLost, protocol.ErrStopped,
	errRefused, errUnreachable, errLed, errStopped, errNothing}

// search leads the search of a plan, in which each step depends on the sum of all members' results of the last. It belongs
// to one goroutine.
type search struct {
	*campaign.Search
	plan    *run.Plan
	members int
	// offered are the phases of its steps so far, as in records.
	offered []campaign.Offered
}

var _ protocol.Search = (*search)(nil)

// Check implements [protocol.Search].
func (s *search) Check(result json.RawMessage) error {
	var m campaign.Measured
	if err := json.Unmarshal(result, &m); err != nil {
		return err
	}
	return m.Validate()
}

// Next implements [protocol.Search].
func (s *search) Next(results []json.RawMessage) (json.RawMessage, error) {
	if len(results) > 0 {
		sum := new(campaign.Measured)
		for _, text := range results {
			var m campaign.Measured
			if err := json.Unmarshal(text, &m); err != nil {
				return nil, err
			}
			sum.Add(&m)
		}
		s.AddEntities(sum)
		s.AddStep(sum)
	}
	step, more := s.Search.Next()
	if !more {
		return nil, nil
	}
	offered, err := s.plan.Offered(&step, s.members)
	if err != nil {
		return nil, err
	}
	s.offered = append(s.offered, offered...)
	return json.Marshal(step)
}

// TokenVariable is the environment variable with the token of the fleet, for a member on this machine.
const TokenVariable = "LOADGEN_FLEET_TOKEN"

const (
	// maxTailBytes is the maximum length of the output that is kept of a process.
	maxTailBytes = 4 << 10
	// exitTimeout is how long the processes have to exit once the run is over.
	exitTimeout = 5 * time.Second
)

// tail keeps the end of what is written to it.
type tail []byte

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-maxTailBytes):]
	return len(p), nil
}

// lastLine returns the last line.
func (t tail) lastLine() string {
	text := bytes.TrimSpace(t)
	return strings.ToValidUTF8(string(text[bytes.LastIndexByte(text, '\n')+1:]), "?")
}

// start starts the leader and the members on this machine, unless an earlier run of the series has started them.
func (o *Offering) start() error {
	if o.leadership != nil {
		return nil
	}
	clk := clock.NewReal()
	b, err := openBus(o.Bus, clk)
	if err != nil {
		return err
	}
	o.bus, o.leadership = b, &leadership{transport: b, clock: clk}
	ctx, kill := context.WithCancel(context.Background())
	o.kill = kill
	for i := 0; o.Local != nil && i < o.Members; i++ {
		args := append(o.Local[1:len(o.Local):len(o.Local)], "--join", b.url, "--label", fmt.Sprintf("name=process %d", i+1))
		p := exec.CommandContext(ctx, o.Local[0], args...)
		// Settings of the leader in the environment are not those of its members.
		p.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "LOADGEN_") })
		p.Env = append(p.Env, TokenVariable+"="+o.Bus.Token.secret)
		p.Stderr, p.WaitDelay = new(tail), time.Second
		if err := p.Start(); err != nil {
			// Close waits for those that have started.
			return fmt.Errorf("cannot start a process of the fleet: %w", err)
		}
		o.processes = append(o.processes, p)
	}
	return nil
}

// Close ends the series: members that wait for another run are told that there is none. It waits for the processes on this
// machine, kills those that do not exit, and writes the errors of those that failed. It may be called more than once.
func (o *Offering) Close() error {
	l, processes := o.leadership, o.processes
	if l == nil {
		return nil
	}
	o.leadership, o.processes = nil, nil
	l.end()
	o.bus.Close()
	late, release := clock.WithTimeout(context.Background(), l.clock, exitTimeout, context.DeadlineExceeded)
	defer release()
	context.AfterFunc(late, o.kill)
	for i, p := range processes {
		err := p.Wait()
		var failed *exec.ExitError
		if err != nil && !errors.As(err, &failed) {
			return fmt.Errorf("process %d of the fleet: %w", i+1, err)
		}
		if line := p.Stderr.(*tail).lastLine(); err != nil && line != "" && o.MemberErrors != nil {
			fmt.Fprintf(o.MemberErrors, "process %d: %s\n", i+1, line)
		}
	}
	return nil
}
