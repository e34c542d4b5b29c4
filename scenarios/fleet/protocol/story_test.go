package protocol_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
			done, err := doing(words[2:])
			if err != nil {
				return s, fmt.Errorf("%s: %w", lines.Text(), err)
			}
			s.acts = append(s.acts, act{span(words[1]), done})
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
func doing(words []string) (func(w *world), error) {
	if words[0] == "leader" {
		return leading(words[1])
	}
	name := words[1]
	switch words[0] {
	case "kill":
		return func(w *world) { w.named(name).dead = w.now; w.say("%s is killed", name) }, nil
	case "stop":
		return func(w *world) { a := w.named(name); a.frozen, a.since = true, w.now; w.say("%s stands still", name) }, nil
	case "continue":
		return func(w *world) {
			a := w.named(name)
			a.slept += w.now.Sub(a.since)
			w.say("%s goes on", name)
			thaw(&a.frozen, &a.waits)
		}, nil
	case "cut":
		return func(w *world) { w.named(name).cut = true; w.say("the connection of %s is cut", name) }, nil
	case "mend":
		return func(w *world) { w.named(name).cut = false; w.say("the connection of %s is mended", name) }, nil
	case "clock":
		return func(w *world) {
			w.named(name).ahead += span(words[2])
			w.say("the clock of %s moves by %s", name, words[2])
		}, nil
	case "enters", "returns":
		return func(w *world) { w.say("%s %s", name, words[0]); w.enter(actor{name: name}) }, nil
	case "fails":
		return func(w *world) {
			a := w.named(name)
			w.say("the share of %s fails", name)
			a.sealed = "nothing"
			a.do(a.m.Fail(a.own(), "the target cannot be reached"))
		}, nil
	case "leaves":
		return func(w *world) { w.say("%s is interrupted", name); w.named(name).seal("interrupted") }, nil
	}
	return nil, fmt.Errorf("no such thing can happen")
}

func leading(what string) (func(w *world), error) {
	switch what {
	case "killed":
		return func(w *world) { w.dead = w.now; w.say("the leader is killed") }, nil
	case "stops":
		return func(w *world) { w.frozen, w.since = true, w.now; w.say("the leader stands still") }, nil
	case "continues":
		return func(w *world) { w.slept += w.now.Sub(w.since); w.say("the leader goes on"); thaw(&w.frozen, &w.waits) }, nil
	case "interrupted":
		return func(w *world) { w.say("the leader is interrupted"); w.leader.Stop(w.now, "interrupted"); w.look() }, nil
	}
	return nil, fmt.Errorf("no such thing can happen")
}
