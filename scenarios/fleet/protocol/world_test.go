package protocol_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

const ms = time.Millisecond

// world plays a leader and its members in virtual time, over a network that loses, doubles
// and delays. It writes down what happened, and what was sent, apart from the machines.
type world struct {
	story   story
	now     clock.Instant
	queue   clock.Queue[func()]
	pushed  uint64
	network clock.Draw
	leader  *protocol.Leader
	// dead is when the leader was killed, frozen says that it stands still: what happens to it
	// meanwhile waits.
	dead    clock.Instant
	frozen  bool
	waits   []func()
	slept   time.Duration
	since   clock.Instant
	ended   clock.Instant
	gone    clock.Instant
	agreed  clock.Instant
	actors  []*actor
	lines   []string
	kinds   map[string]int
	outcome protocol.Outcome
	err     error
	// run is which of the series the leader leads, came what those before came to; turns is how
	// many turns were ordered, odd what was wrong with what came of one.
	run   int
	came  []played
	turns int
	odd   string
}

// played is a run of a series that is over.
type played struct {
	outcome protocol.Outcome
	agreed  clock.Instant
}

// actor is a member, the process around it, and what that process knows to be true.
type actor struct {
	w       *world
	m       *protocol.Member
	name    string
	epoch   string
	version string
	rate    int64
	// ahead is how far its clock is ahead of the world's.
	ahead time.Duration
	dead  clock.Instant
	left  clock.Instant
	err   error
	begun *clock.Instant
	// frozen says that the process stands still, cut that nothing gets through.
	frozen, cut bool
	waits       []func()
	slept       time.Duration
	since       clock.Instant
	// joined says that the leader's answer to its ask to join has come.
	joined bool
	index  int
	// told are the operations due in each of its seconds, sealed the record that it handed in.
	told    []int64
	sealed  string
	partial bool
	// arrived is what the network brought the leader: operations by sequence, the first of each.
	arrived map[uint64]int64
	heard   clock.Instant
	lost    clock.Instant
	// past is what it was as each run that it took part in was over.
	past []actor
}

func (w *world) at(when clock.Instant, do func()) {
	w.pushed++
	w.queue.Push(max(when, w.now), w.pushed, do)
}

func (w *world) after(d time.Duration, do func()) { w.at(w.now.Add(d), do) }

func (w *world) say(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf("%7.3f  ", w.now.Offset().Seconds())+fmt.Sprintf(format, args...))
}

// version is the build of everybody, unless a story says otherwise.
const version = "v1"

// scenario is what the members are charged with.
var scenario = []byte("name: anything\n")

func play(s story) *world {
	w := &world{story: s, network: clock.NewStream(s.seed, "network").Draw(0), dead: clock.Never, ended: -1, gone: -1, agreed: -1, kinds: map[string]int{}}
	leader, err := protocol.NewLeader(protocol.Plan{Members: s.members, Deadline: 20 * time.Second, Version: version, FinishOnLoss: s.finish,
		Assignment: w.assignment(), Search: w.search(), Drain: s.drain})
	if err != nil {
		panic(err)
	}
	w.leader = leader
	for i := range s.actors {
		w.enter(s.actors[i])
	}
	for _, one := range s.acts {
		w.at(clock.Instant(one.at), func() { one.do(w) })
	}
	w.tick()
	for w.queue.Len() > 0 && w.now < clock.Instant(3*time.Minute) && !w.done() {
		at, do := w.queue.Pop()
		w.now = max(w.now, at)
		do()
	}
	w.outcome, w.err = w.leader.Outcome()
	return w
}

// assignment is the assignment of a run.
func (w *world) assignment() protocol.Assignment {
	text := slices.Concat(scenario, []byte(strings.Repeat("# a long line of the scenario\n", w.story.long)))
	return protocol.Assignment{Scenario: text, SHA256: sum(text), Table: "t", Seed: 7, Follows: w.run < w.story.runs-1}
}

// search is who chooses the turns, nil where there are none.
func (w *world) search() protocol.Search {
	if w.story.turns == 0 {
		return nil
	}
	return w
}

// Check implements [protocol.Search].
func (w *world) Check(json.RawMessage) error { return nil }

// Next implements [protocol.Search]: all have to have said what came of the last turn.
func (w *world) Next(came []json.RawMessage) (json.RawMessage, error) {
	for _, text := range came {
		if len(came) != w.story.members || string(text) != fmt.Sprint(w.turns) {
			w.odd = fmt.Sprintf("after turn %d came %s", w.turns, came)
		}
	}
	if w.turns == w.story.turns {
		return nil, nil
	}
	w.turns++
	return json.RawMessage(fmt.Sprint(w.turns)), nil
}

// follow has the next run of the series follow one that is over, after a pause, unless the series
// is broken.
func (w *world) follow() {
	if w.run >= w.story.runs-1 || w.dead != clock.Never {
		return
	}
	outcome, err := w.leader.Outcome()
	next := w.leader.Next()
	if next == nil || err != nil {
		w.say("leader: no run follows")
		w.leader.End(w.now)
		return
	}
	w.came = append(w.came, played{outcome, w.agreed})
	w.run++
	w.turns, w.agreed, w.ended = 0, -1, -1
	w.leader = next
	w.say("leader: run %d is to follow", w.run+1)
	w.after(w.story.pause, func() {
		w.awake(func() {
			if w.dead == clock.Never && w.gone < 0 && w.ended < 0 {
				if err := w.leader.Assign(w.assignment(), w.search()); err != nil {
					panic(err)
				}
			}
		})
	})
}

// done reports whether nobody is left who could do anything.
func (w *world) done() bool {
	for _, a := range w.actors {
		if a.left < 0 && a.dead == clock.Never {
			return false
		}
	}
	return w.gone >= 0 || w.dead != clock.Never
}

// tick is the leader's shell.
func (w *world) tick() {
	if w.dead != clock.Never || w.gone >= 0 {
		return
	}
	w.awake(func() {
		w.leader.Tick(w.now)
		w.look()
		w.after(100*ms, w.tick)
	})
}

// awake runs something as soon as the leader does.
func (w *world) awake(do func()) {
	if w.frozen {
		w.waits = append(w.waits, do)
	} else {
		do()
	}
}

// thaw has what waited happen.
func thaw(frozen *bool, waits *[]func()) {
	all := *waits
	*frozen, *waits = false, nil
	for _, do := range all {
		do()
	}
}

// look takes what the leader says has happened.
func (w *world) look() {
	for _, e := range w.leader.Events() {
		if e.Kind == protocol.RunStarted {
			w.agreed = w.now.Add(e.Wait)
		}
		if e.Kind == protocol.SecondReported {
			continue
		}
		if e.Kind == protocol.MemberLost {
			for _, a := range w.actors {
				if a.name == e.Name && a.lost < 0 {
					a.lost = w.now
				}
			}
		}
		w.say("leader: %s", e.Text)
	}
	if w.leader.IsOver() && w.ended < 0 {
		w.ended = w.now
		w.say("leader: over")
		w.follow()
	}
	if w.leader.MayExit(w.now) && w.gone < 0 && w.ended >= 0 {
		w.gone = w.now
	}
}

// enter has a process begin.
func (w *world) enter(a actor) {
	one := &a
	one.w, one.dead, one.left, one.lost, one.index = w, clock.Never, -1, -1, -1
	one.arrived, one.epoch = map[uint64]int64{}, fmt.Sprintf("epoch%d", len(w.actors))
	if one.version == "" {
		one.version = version
	}
	if one.rate == 0 {
		one.rate = 100
	}
	one.m = one.member()
	w.actors = append(w.actors, one)
	one.tick()
}

// member is the machine of the run that the process takes part in next.
func (a *actor) member() *protocol.Member {
	return protocol.NewMember(protocol.MemberPlan{Name: a.name, Epoch: a.epoch, Run: uint64(len(a.past)), Version: a.version, Deadline: 20 * time.Second,
		Labels: map[string]string{"region": "north"}})
}

// next has the process go on to the next run of the series.
func (a *actor) next() {
	a.past = append(a.past, *a)
	a.told, a.sealed, a.partial, a.begun, a.arrived = nil, "", false, nil, map[uint64]int64{}
	a.m = a.member()
}

// own is the time of the process's own clock.
func (a *actor) own() clock.Instant { return a.w.now.Add(a.ahead) }

// awake runs something as soon as the process does, and never once it is dead.
func (a *actor) awake(do func()) {
	switch {
	case a.dead != clock.Never || a.left >= 0:
	case a.frozen:
		a.waits = append(a.waits, func() { a.awake(do) })
	default:
		do()
	}
}

func (a *actor) tick() {
	a.awake(func() {
		a.do(a.m.Tick(a.own()))
		a.w.at(max(a.m.Next(a.own()).Add(-a.ahead), a.w.now.Add(ms)), a.tick)
	})
}

// do is the shell around a member.
func (a *actor) do(s protocol.Actions) {
	for _, text := range s.Send {
		a.w.carry(a, text)
	}
	if s.Prepare != nil {
		a.index = s.Prepare.Index
		a.w.after(300*ms, func() {
			a.awake(func() { a.do(a.m.SetReady(a.own(), uint64(a.rate*int64(a.w.story.seconds)))) })
		})
	}
	if s.Begin != nil {
		begin := s.Begin.Add(-a.ahead)
		run := len(a.past)
		a.w.at(begin, func() {
			a.awake(func() {
				if now := a.w.now; run == len(a.past) {
					a.begun = &now
				}
				if a.w.story.turns == 0 {
					a.work(begin, 0)
				}
			})
		})
	}
	if s.Step != nil {
		a.take(s.Step)
	}
	if s.Stop != "" {
		a.w.after(10*ms, func() { a.awake(func() { a.seal("stopped") }) })
	}
	if s.Over && s.Follows && s.Err == nil {
		a.next()
		return
	}
	if s.Over && a.left < 0 {
		a.left, a.err = a.w.now, s.Err
		a.w.say("%s: over: %v", a.name, s.Err)
	}
}

// take offers a turn, which lasts a second, and says what came of it; after the last it seals.
func (a *actor) take(t *protocol.SearchStep) {
	if t.What == nil {
		a.w.after(ms, func() { a.awake(func() { a.seal("") }) })
		return
	}
	a.w.at(t.Start.Add(time.Second+5*ms-a.ahead), func() {
		a.awake(func() {
			if a.sealed == "" {
				a.tell(t.Number - 1)
				a.do(a.m.ReportResult(a.own(), t.Number, t.What))
			}
		})
	})
}

// work tells a second at a time, and seals the record after the last.
func (a *actor) work(begin clock.Instant, n int) {
	if a.sealed != "" {
		return
	}
	run := len(a.past)
	a.w.at(begin.Add(time.Duration(n+1)*time.Second+5*ms), func() {
		a.awake(func() {
			if a.sealed != "" || run != len(a.past) {
				return
			}
			a.tell(n)
			if n+1 == a.w.story.seconds {
				a.seal("")
			} else {
				a.work(begin, n+1)
			}
		})
	})
}

// counts are those of a second: each differs, so that no two can be taken for each other.
func (a *actor) counts(n int) results.Interval {
	due := a.rate
	return results.Interval{Second: int64(n), Counts: results.Counts{Scheduled: due, Sent: due, Attempts: due + int64(n), Ok: due, Throttled: int64(n)}}
}

func (a *actor) tell(n int) {
	second := protocol.Second{Interval: a.counts(n)}
	if n == 0 {
		second.BeganLate = new(max(0, a.begun.Sub(a.w.agreed)))
	}
	a.told = append(a.told, second.Interval.Scheduled)
	a.do(a.m.ReportSecond(a.own(), &second))
}

func (a *actor) seal(partial string) {
	if a.sealed != "" || a.left >= 0 {
		return
	}
	var counts results.Counts
	for n := range a.told {
		of := a.counts(n)
		counts.Add(&of.Counts)
	}
	a.partial = partial != ""
	a.sealed = fmt.Sprintf("%s %v %s", a.name, a.told, strings.Repeat("x", a.w.story.heavy))
	a.do(a.m.Submit(a.own(), []byte(a.sealed), counts, partial))
}

// carry is the network: there and, with the leader's answer, back.
func (w *world) carry(a *actor, text []byte) {
	var ask protocol.Request
	if err := json.Unmarshal(text, &ask); err != nil {
		panic(err)
	}
	w.deliver(a, func() {
		if w.dead != clock.Never || w.gone >= 0 {
			return
		}
		w.awake(func() { w.hear(a, &ask, text) })
	})
}

// hear has the leader answer, and notes what it was brought.
func (w *world) hear(a *actor, ask *protocol.Request, text []byte) {
	if w.dead != clock.Never || w.gone >= 0 {
		return
	}
	a.heard = w.now
	active := a.lost < 0 && ask.Run == uint64(w.run) && w.run == len(a.past)
	reply := w.leader.Receive(w.now, a.epoch, text)
	if ask.Second != nil && active && reply != nil {
		if _, had := a.arrived[ask.Second.Sequence]; !had {
			a.arrived[ask.Second.Sequence] = ask.Second.Second.Interval.Scheduled
		}
	}
	w.look()
	w.show(a, ask, reply)
	if reply == nil {
		return
	}
	w.deliver(a, func() { a.awake(func() { a.joined = a.joined || ask.Join != nil; a.do(a.m.Receive(a.own(), reply)) }) })
}

// show writes down an exchange that is not all day's.
func (w *world) show(a *actor, ask *protocol.Request, reply []byte) {
	said := fmt.Sprintf("%s: %s", a.name, strings.ReplaceAll(string(reply), "\n", " "))
	var answer protocol.Reply
	if reply != nil && json.Unmarshal(reply, &answer) == nil && answer.Part == nil {
		answer.At, answer.Number = 0, 0
		if text, err := json.Marshal(answer); err == nil {
			said = fmt.Sprintf("%s: %s", a.name, text)
		}
	}
	if w.kinds[said]++; w.kinds[said] == 1 && answer.Part == nil && len(said) < 400 && w.story.shown {
		w.say("answer to %s", said)
	}
}

// deliver brings something over the network, or not, or twice.
func (w *world) deliver(a *actor, do func()) {
	n := &w.story.network
	copies := 1
	if n.doubles > 0 && w.network.Float64() < n.doubles {
		copies = 2
	}
	for range copies {
		if n.loses > 0 && w.network.Float64() < n.loses {
			continue
		}
		delay := n.least
		if n.most > n.least {
			delay += time.Duration(w.network.Float64() * float64(n.most-n.least))
		}
		if n.late > 0 && w.network.Float64() < n.late {
			delay += time.Duration(w.network.Float64() * float64(3*time.Second))
		}
		if a.cut {
			continue
		}
		w.after(delay, func() {
			if !a.cut {
				do()
			}
		})
	}
}

func (w *world) named(name string) *actor {
	i := slices.IndexFunc(w.actors, func(a *actor) bool { return a.name == name && a.left < 0 })
	if i < 0 {
		i = slices.IndexFunc(w.actors, func(a *actor) bool { return a.name == name })
	}
	return w.actors[i]
}

func sum(text []byte) string {
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])
}

// story is a history before it is played.
type story struct {
	seed    uint64
	members int
	seconds int
	finish  bool
	drain   time.Duration
	// heavy is how long a record is, long how many lines a scenario has beside.
	heavy, long int
	// runs is how many runs are one after another, pause how long the leader is busy between two;
	// turns is how many turns each has, 0 for none.
	runs, turns int
	pause       time.Duration
	shown       bool
	network     weather
	actors      []actor
	acts        []act
	// harmless says that nothing happens which could keep the run from being whole.
	harmless bool
}

// weather is how the network is.
type weather struct {
	least, most          time.Duration
	loses, doubles, late float64
}

// act is something that happens.
type act struct {
	at time.Duration
	do func(w *world)
}

// parse reads a story: a line for each thing.
//
//	fleet members=3 seconds=6 [loss=finish] [drain=2s] [record=700000] [scenario=40000] [turns=3]
//	series runs=3 pause=2s
//	network delay=1ms..4ms [loses=0.1] [doubles=0.1] [late=0.1]
//	member NAME [rate=100] [clock=1s] [version=v2]
//	at 3s kill|stop|continue|cut|mend|tells|leaves|returns NAME, at 3s clock NAME 1s
//	at 3s leader killed|stops|continues|interrupted
func parse(text string) (s story, err error) {
	s = story{seed: 1, network: weather{least: ms, most: 2 * ms}, shown: true}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		options := map[string]string{}
		for _, word := range words[1:] {
			if name, value, found := strings.Cut(word, "="); found {
				options[name] = value
			}
		}
		switch words[0] {
		case "fleet":
			s.members, s.seconds = number(options["members"]), number(options["seconds"])
			s.finish, s.drain = options["loss"] == "finish", span(options["drain"])
			s.heavy, s.long = number(options["record"]), number(options["scenario"])/30
			if s.turns = number(options["turns"]); s.turns > 0 {
				s.seconds = s.turns
			}
		case "series":
			s.runs, s.pause = number(options["runs"]), span(options["pause"])
		case "network":
			from, to, _ := strings.Cut(options["delay"], "..")
			s.network = weather{span(from), span(to), share(options["loses"]), share(options["doubles"]), share(options["late"])}
		case "member":
			s.actors = append(s.actors, actor{name: words[1], rate: int64(number(options["rate"])), ahead: span(options["clock"]), version: options["version"]})
		case "at":
			s.acts = append(s.acts, act{span(words[1]), doing(words[2:])})
		default:
			return s, fmt.Errorf("%s: no such line", lines.Text())
		}
	}
	return s, nil
}

func number(text string) int         { n, _ := strconv.Atoi(text); return n }
func share(text string) float64      { f, _ := strconv.ParseFloat(text, 64); return f }
func span(text string) time.Duration { d, _ := time.ParseDuration(text); return d }

// doing returns what a line has happen.
func doing(words []string) func(w *world) {
	return func(w *world) {
		switch name := words[1]; words[0] {
		case "leader":
			w.changeLeader(name)
		case "enters", "returns":
			w.say("%s %s", name, words[0])
			w.enter(actor{name: name})
		default:
			w.change(w.named(name), words)
		}
	}
}

// change has something happen to a process.
func (w *world) change(a *actor, words []string) {
	switch words[0] {
	case "kill":
		a.dead = w.now
		w.say("%s is killed", a.name)
	case "stop":
		a.frozen, a.since = true, w.now
		w.say("%s stands still", a.name)
	case "continue":
		a.slept += w.now.Sub(a.since)
		w.say("%s goes on", a.name)
		thaw(&a.frozen, &a.waits)
	case "cut", "mend":
		a.cut = words[0] == "cut"
		w.say("the connection of %s is %s", a.name, map[bool]string{true: "cut", false: "mended"}[a.cut])
	case "clock":
		a.ahead += span(words[2])
		w.say("the clock of %s moves by %s", a.name, words[2])
	case "fails":
		w.say("the share of %s fails", a.name)
		a.sealed = "nothing"
		a.do(a.m.Fail(a.own(), "the target cannot be reached"))
	case "leaves":
		w.say("%s is interrupted", a.name)
		a.seal("interrupted")
	default:
		panic("no such thing can happen: " + words[0])
	}
}

// changeLeader has something happen to the leader.
func (w *world) changeLeader(what string) {
	switch what {
	case "killed":
		w.dead = w.now
		w.say("the leader is killed")
	case "stops":
		w.frozen, w.since = true, w.now
		w.say("the leader stands still")
	case "continues":
		w.slept += w.now.Sub(w.since)
		w.say("the leader goes on")
		thaw(&w.frozen, &w.waits)
	case "interrupted":
		w.say("the leader is interrupted")
		w.leader.Stop(w.now, "interrupted")
		w.look()
	}
}
