package partition_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/partition"
	"loadgen/results/resultstest"
)

// TestScripts runs each situation of testdata: commands, each followed by its
// golden reply. The commands are
//
//	model NAME=VALUE …        a new layer of the documented profile, changed so
//	cold NAME=VALUE …         the same with a cold start; profile=NAME is another
//	                          profile, background=AT:LOAD,… a schedule
//	admit AT KEY COST [xN]    N requests at an instant; reply: how many passed
//	charge AT KEY ENTITIES    what a scan owes beyond its admission
//	out AT KEY BYTES          what a reply carries out
//	offer FROM TO EVERY KEY COST   one request EVERY, in [FROM, TO)
//	load FROM TO SOURCE …     SOURCE is KEY=RATE, requests per second at random
//	                          instants of equal slots; KEY+ and KEY- number the
//	                          requests upwards and downwards; cost=, bytes= and
//	                          timeout= set what the following sources demand
//	prewarm AT KEY …          split at these keys at once, spread over the servers
//	assign AT KEY SERVER      put a range on a server at once
//	move AT KEY SERVER        hand a range over
//	read AT KEY               a request whose reply carries entities
//	delete AT TABLE           a table that is gone
//	advance TO                let time pass
//	map                       what lies where
//	events                    what load balancing did
//	page KEY                  where a page that begins there ends
//
// A key may be account/key, which is a table of that number too; it is 0
// otherwise.
func TestScripts(t *testing.T) {
	resultstest.CheckGoldens(t, "testdata/*.txt", func(t *testing.T, text string) string {
		s := &stage{t: t}
		return resultstest.Replay(text, func(command []string) []string { return strings.Split(s.do(command), "\n") })
	})
}

type stage struct {
	t     *testing.T
	layer *partition.Layer
	load  *load
	cold  bool
}

func (s *stage) do(f []string) string {
	switch f[0] {
	case "model", "cold":
		return s.build(f[1:], f[0] == "cold")
	case "admit":
		times := 1
		if len(f) > 4 {
			times = s.number(strings.TrimPrefix(f[4], "x"))
		}
		return s.offer(s.instant(f[1]), 0, times, f[2], f[3])
	case "charge":
		s.layer.Charge(s.instant(f[1]), s.place(f[2]), int64(s.number(f[3])))
		s.layer.ChargeAccount(s.instant(f[1]), s.place(f[2]).Account, int64(s.number(f[3])))
		return "charged"
	case "out":
		s.layer.ChargeOut(s.instant(f[1]), s.place(f[2]).Account, int64(s.number(f[3])))
		return "charged"
	case "offer":
		every := s.instant(f[3])
		times := int((s.instant(f[2]) - s.instant(f[1]) + every - 1) / every)
		return s.offer(s.instant(f[1]), every, times, f[4], f[5])
	case "load":
		return s.run(s.instant(f[1]), s.instant(f[2]), f[3:])
	case "prewarm":
		for _, key := range f[2:] {
			p := s.place(key)
			s.layer.Prewarm(s.instant(f[1]), p.Account, p.Table, p.PartitionKey)
		}
		return fmt.Sprintf("%d ranges", len(s.layer.Map().Ranges))
	case "assign":
		s.layer.Assign(s.instant(f[1]), s.place(f[2]), s.number(f[3]))
		return "assigned"
	case "move":
		s.layer.Move(s.instant(f[1]), s.place(f[2]), s.number(f[3]))
		return "moving"
	case "read":
		v := s.layer.Admit(s.instant(f[1]), s.place(f[2]), partition.Demand{Entities: 1, Read: true}, 0)
		return v.Kind.String()
	case "delete":
		s.layer.TableDeleted(s.instant(f[1]), uint32(s.number(f[2])))
		return "deleted"
	case "advance":
		return s.layer.Advance(s.instant(f[1])).Offset().String()
	case "map":
		return s.showMap()
	case "events":
		return s.showEvents()
	case "page":
		if key, ends := s.layer.PageEnd(s.place(f[1])); ends {
			return fmt.Sprintf("ends before %q", key)
		}
		return "does not end"
	default:
		s.t.Fatalf("unknown command %q", f[0])
		return ""
	}
}

// build makes a new layer.
func (s *stage) build(settings []string, cold bool) string {
	profile := model.Documented
	var rest []string
	options := partition.Options{Cold: cold, Seed: 1}
	for _, setting := range settings {
		switch name, value, _ := strings.Cut(setting, "="); name {
		case "profile":
			profile = value
		case "background":
			for _, step := range strings.Split(value, ",") {
				at, load, _ := strings.Cut(step, ":")
				options.Background = append(options.Background, partition.Step{From: s.instant(at), Load: int64(s.number(load))})
			}
		default:
			rest = append(rest, setting)
		}
	}
	m := modelOf(s.t, profile, rest...)
	options.Model = m
	s.layer, s.cold = partition.New(options), cold
	s.load = newLoad(s.layer, 1)
	reply := fmt.Sprintf("%d/s a partition, %d/s an account", m.PartitionTarget, m.AccountTarget)
	if cold {
		reply += fmt.Sprintf(", %d/s a range, %d/s each of %d servers", m.Stamp.RangeTarget, m.Stamp.ServerTarget, m.Stamp.Servers)
	}
	return reply
}

func (s *stage) offer(at, every clock.Instant, times int, key, cost string) string {
	var passed verdicts
	var last partition.Verdict
	for n := range times {
		draw := s.load.draw.Draw(uint64(at) + uint64(n))
		last = s.layer.Admit(at+clock.Instant(n)*every, s.place(key), partition.Demand{Entities: int64(s.number(cost))}, draw.Uint64())
		passed[last.Kind]++
	}
	if !s.cold {
		return fmt.Sprintf("%d admitted, %d over the partition's, %d over the account's",
			passed[partition.Admitted], passed[partition.PartitionBusy], passed[partition.AccountBusy])
	}
	reply := passed.String()
	if times == 1 && last.Wait > 0 {
		reply += fmt.Sprintf(", waits %v", last.Wait)
	}
	if times == 1 && last.Redirected {
		reply += ", redirected"
	}
	return reply
}

func (s *stage) run(from, to clock.Instant, fields []string) string {
	demand := one
	var sources []source
	var names []string
	for _, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		switch name {
		case "cost":
			demand.Entities = int64(s.number(value))
		case "bytes":
			demand.BytesIn = int64(s.number(value))
			demand.Received = demand.BytesIn
		case "timeout":
			demand.Timeout = time.Duration(s.instant(value))
		default:
			sources = append(sources, s.source(name, s.number(value), demand))
			names = append(names, name)
		}
	}
	each := make([]verdicts, len(sources))
	s.load.run(from, to, sources, func(_ clock.Instant, i int, _ partition.Place, v partition.Verdict) { each[i][v.Kind]++ })
	var reply []string
	for i := range each {
		reply = append(reply, names[i]+": "+each[i].String())
	}
	return strings.Join(reply, "\n")
}

func (s *stage) source(name string, rate int, demand partition.Demand) source {
	base := strings.TrimRight(name, "+-")
	made := source{place: s.place(base), rate: rate, demand: demand}
	switch {
	case strings.HasSuffix(name, "+"):
		made.key = func(n int) string { return fmt.Sprintf("%s%08d", made.place.PartitionKey, n) }
	case strings.HasSuffix(name, "-"):
		made.key = func(n int) string { return fmt.Sprintf("%s%08d", made.place.PartitionKey, 99_999_999-n) }
	}
	return made
}

func (s *stage) showMap() string {
	var lines []string
	m := s.layer.Map()
	for _, r := range m.Ranges {
		high := strconv.Quote(r.High)
		if r.Last {
			high = "the end"
		}
		lines = append(lines, fmt.Sprintf("table %d range %d from %q to %s on server %d", r.Table, r.Number, r.Low, high, r.Server))
		if r.Offline > s.layer.Advance(0) {
			lines[len(lines)-1] += ", offline until " + r.Offline.Offset().String()
		}
	}
	return strings.Join(lines, "\n")
}

func (s *stage) showEvents() string {
	var lines []string
	for _, e := range s.layer.Events() {
		lines = append(lines, e.String())
	}
	if len(lines) == 0 {
		return "none"
	}
	return strings.Join(lines, "\n")
}

func (s *stage) instant(text string) clock.Instant {
	d, err := time.ParseDuration(text)
	require.NoError(s.t, err)
	return clock.Instant(d)
}

func (s *stage) number(text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(s.t, err)
	return n
}

func (s *stage) place(text string) partition.Place {
	account, key, cut := strings.Cut(text, "/")
	if !cut {
		return partition.Place{PartitionKey: text}
	}
	return partition.Place{Account: uint32(s.number(account)), Table: uint32(s.number(account)), PartitionKey: key}
}

const second = clock.Instant(time.Second)

// source offers requests at a rate to keys of one table. Each is due at a random
// instant of its own slot, so that no rate falls in step with an allowance.
type source struct {
	place  partition.Place
	rate   int
	demand partition.Demand
	// key returns the PartitionKey of a request; nil has all go to the place's.
	key func(n int) string
}

// load drives a layer with sources; draw is the chance of the run.
type load struct {
	layer *partition.Layer
	seed  uint64
	sent  uint64
	draw  clock.Stream
}

func newLoad(layer *partition.Layer, seed uint64) *load {
	return &load{layer: layer, seed: seed, draw: clock.NewStream(seed, "load")}
}

// run offers what the sources do in [from, to) and tells each verdict.
func (l *load) run(from, to clock.Instant, sources []source, tell func(clock.Instant, int, partition.Place, partition.Verdict)) {
	var due clock.Queue[int]
	counts := make([]int, len(sources))
	push := func(i int) {
		slot := second / clock.Instant(sources[i].rate)
		draw := l.draw.Try(uint64(from)+uint64(counts[i]), i)
		at := from + clock.Instant(counts[i])*second/clock.Instant(sources[i].rate) + clock.Instant(draw.IntN(int(slot)))
		if at < to {
			due.Push(at, uint64(i), i)
		}
	}
	for i := range sources {
		push(i)
	}
	for due.Len() > 0 {
		at, i := due.Pop()
		s := &sources[i]
		place := s.place
		if s.key != nil {
			place.PartitionKey = s.key(counts[i])
		}
		l.sent++
		draw := l.draw.Try(l.sent, len(sources))
		verdict := l.layer.Admit(at, place, s.demand, draw.Uint64())
		if tell != nil {
			tell(at, i, place, verdict)
		}
		counts[i]++
		push(i)
	}
	l.layer.Advance(to)
}

// one is a demand for one entity.
var one = partition.Demand{Entities: 1}

// even returns a source of the same rate for each key.
func even(rate int, keys ...string) []source {
	var list []source
	for _, key := range keys {
		list = append(list, source{place: partition.Place{PartitionKey: key}, rate: rate, demand: one})
	}
	return list
}

// verdicts counts verdicts by kind.
type verdicts [partition.Kinds]int

func (v *verdicts) sum() int {
	sum := 0
	for _, count := range v {
		sum += count
	}
	return sum
}

func (v *verdicts) String() string {
	parts := []string{fmt.Sprintf("%d offered", v.sum())}
	for kind, count := range v {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %v", count, partition.Kind(kind)))
		}
	}
	return strings.Join(parts, ", ")
}

// count offers what the sources do in [from, to) and counts what became of it.
func (l *load) count(from, to clock.Instant, sources ...source) *verdicts {
	var v verdicts
	l.run(from, to, sources, func(_ clock.Instant, _ int, _ partition.Place, verdict partition.Verdict) { v[verdict.Kind]++ })
	return &v
}

// modelOf returns a profile's model, changed so: NAME=VALUE.
func modelOf(t testing.TB, profile string, settings ...string) *model.Model {
	t.Helper()
	m, err := model.New(profile)
	require.NoError(t, err)
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		require.NoError(t, m.Set(name, value))
	}
	require.Empty(t, m.Validate())
	return m
}

// twentieth are the documented rates and limits divided by 20, the times being
// as they are, so that experiments of an hour are short.
var twentieth = []string{"partition_target=100", "account_target=1000", "range_target=100", "server_target=200", "merge_below=5"}

// cold returns a layer of the documented profile that begins cold.
func cold(t testing.TB, settings ...string) *partition.Layer {
	t.Helper()
	return partition.New(partition.Options{Model: modelOf(t, model.Documented, settings...), Cold: true, Seed: 1})
}
