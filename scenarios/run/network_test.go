package run_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// Lengths of keys, and of all that an entity of so many letters is billed by beside them: 4
// bytes, two for each letter of a key, and of a text 8, two for each letter of its name and
// value, and 4 (the documents' formula).
const (
	networkPartition = "Rome"
	networkRow       = "000001"
	networkName      = "Text"
)

// billed is the size of an entity with a text of so many letters, as a scenario gives it.
func billed(letters int) int {
	return 4 + 2*(len(networkPartition)+len(networkRow)) + 8 + 2*len(networkName) + 2*letters + 4
}

// networked is a scenario of one operation behind the clients' line.
func networked(t testing.TB, parameters string, letters int, verb, traffic string) *scenarios.Scenario {
	t.Helper()
	return runtest.Parse(t, fmt.Sprintf(`
name: network
seed: 11
table: network
retry: none
model: {partition_target: 0, account_target: 0, account_ingress: 0, account_egress: 0, time_spread: 0, %s}
attributes: {city: {list: [%s]}, rider: {sequence: 1}}
entity: {size: %d, filler: %s}
design: {partition_key: "{city}", row_key: "{rider:06d}"}
phases:
  - {name: load, load: {entities: 200, transaction: 10}}
  - {name: day, traffic: {%s, operations: [{name: go, verb: %s}]}}
`, parameters, networkPartition, billed(letters), networkName, traffic, verb))
}

// onWire returns how long request and reply of an operation are: the heads as a client of
// this tool and a service of it write them, and bodies as the protocol has them.
func onWire(verb string, letters int) (request, reply float64) {
	marshalled := func(v map[string]string) int { return len(runtest.Must(json.Marshal(v))) }
	key, text := len(networkPartition)+len(networkRow), strings.Repeat("x", letters)
	if verb == "insert" {
		body := marshalled(map[string]string{"PartitionKey": networkPartition, "RowKey": networkRow, networkName: text})
		return float64(507 + body), float64(583 + 2*key)
	}
	body := marshalled(map[string]string{"odata.metadata": "http://127.0.0.1:10002/loadgen/$metadata#/@Element",
		"odata.etag":   `W/"datetime'2026-11-22T00%3A00%3A00.0000001Z'"`,
		"PartitionKey": networkPartition, "RowKey": networkRow, "Timestamp": "2026-11-22T00:00:00.0000001Z", networkName: text})
	return float64(453 + key), float64(459 + body)
}

// day returns what a run came to in its phase, and its counts.
func day(t testing.TB, s *scenarios.Scenario) (runtest.Record, results.KindStats, *figure.Figures) {
	t.Helper()
	r := runtest.Run(t, run.Plan{Scenario: s})
	return r, r.Total(results.Reported), figure.NewFigures(r.Record)
}

// Behind a line that is full all the time, each machine carries so many operations a second as
// their bytes go into its bandwidth: of requests what it sends, of replies what it gets.
func TestLinesCarryTheirBandwidth(t *testing.T) {
	t.Parallel()
	rows := []struct {
		verb      string
		letters   int
		bandwidth float64
		machines  int
	}{
		{"insert", 3000, 500_000, 1},
		{"get", 4000, 400_000, 1},
		{"get", 1500, 200_000, 3},
		{"insert", 12_000, 1_500_000, 1},
		{"get", 9000, 900_000, 1},
		{"insert", 1000, 100_000, 2},
		{"get", 500, 100_000, 8},
	}
	for _, row := range rows[:run.Tier(3, len(rows))] {
		request, reply := onWire(row.verb, row.letters)
		want := float64(row.machines) * row.bandwidth / max(request, reply)
		const seconds = 20
		s := networked(t, fmt.Sprintf("client_bandwidth: %.0f, client_machines: %d", row.bandwidth, row.machines), row.letters, row.verb,
			fmt.Sprintf("clients: %d, think: 1ms, for: %ds", 48, seconds))
		r, sum, _ := day(t, s)
		// Once it is full: from the fourth second on.
		begin, served := figure.Reported(r.Record)[0].Phase.Begin+4*time.Second, 0.0
		for _, one := range r.Intervals {
			if at := time.Duration(one.Second) * time.Second; at >= begin && at < begin+seconds/2*time.Second {
				served += float64(one.Ok) / (seconds / 2)
			}
		}
		assert.Truef(t, math.Abs(served-want) <= .015*want+.5,
			"%+v: %.1f/s are served; %.0f and %.0f bytes are %.1f/s", row, served, request, reply, want)
		assert.Truef(t, sum.Throttled+sum.Failed == 0,
			"%+v: %d attempts were throttled and %d failed; what a line cannot carry comes late", row, sum.Throttled, sum.Failed)
		assert.Truef(t, len(r.Summary.ClientLimited) == 1 && sum.LineHeld*2 >= sum.Attempts,
			"%+v: client-limited is %q, %d of %d waited for the line; want most", row, r.Summary.ClientLimited, sum.LineHeld, sum.Attempts)
	}
}

// An attempt that meets nobody takes the round trip, the service's time, and its bytes' time on
// the line in either direction.
func TestTimesOfALineThatIsFree(t *testing.T) {
	t.Parallel()
	rows := []struct {
		verb      string
		letters   int
		bandwidth float64
		region    string
	}{
		{"get", 4000, 1_000_000, "same-region"},
		{"insert", 12_000, 500_000, "other-continent"},
		{"get", 300, 0, "same-continent"},
		{"insert", 300, 0, "other-continent"},
		{"get", 20_000, 2_000_000, "same-continent"},
	}
	for _, row := range rows[:run.Tier(4, len(rows))] {
		way := map[string]time.Duration{"same-region": time.Millisecond, "same-continent": 30 * time.Millisecond, "other-continent": 150 * time.Millisecond}[row.region]
		want := way + map[string]time.Duration{"get": 3 * time.Millisecond, "insert": 8 * time.Millisecond}[row.verb]
		if row.bandwidth > 0 {
			request, reply := onWire(row.verb, row.letters)
			want += time.Duration((request + reply) / row.bandwidth * float64(time.Second))
		}
		s := networked(t, fmt.Sprintf("client_bandwidth: %.0f, region: %s", row.bandwidth, row.region), row.letters, row.verb,
			"arrivals: {constant: 2}, for: 20s")
		r, sum, figures := day(t, s)
		for _, name := range []string{"p50", "max"} {
			// A histogram is as exact as three digits.
			got := figures.Named(name).Value
			assert.Truef(t, math.Abs(got-float64(want)) <= .002*float64(want), "%+v: %s is %v", row, name, time.Duration(got))
		}
		assert.Truef(t, sum.LineHeld == 0 && len(r.Summary.ClientLimited) <= 0,
			"%+v: %d attempts waited for the line, %q; want none", row, sum.LineHeld, r.Summary.ClientLimited)
	}
}

// So many attempts as packet_loss says wait for retransmit_time, as many of these for thrice
// that, and nobody for less.
func TestLossesCostTimeouts(t *testing.T) {
	rows := []struct {
		loss       float64
		retransmit time.Duration
	}{
		{.02, 200 * time.Millisecond},
		{.25, 50 * time.Millisecond},
		{.001, time.Second},
		{.5, 300 * time.Millisecond},
	}
	for _, row := range rows[:run.Tier(2, len(rows))] {
		s := networked(t, fmt.Sprintf("packet_loss: %.0f, retransmit_time: %v", 1000*row.loss, row.retransmit), 100, "get",
			"arrivals: {constant: 500}, for: 20s")
		_, sum, _ := day(t, s)
		const base = 4 * time.Millisecond
		all := float64(sum.Ok)
		for losses := range 3 {
			late := base + row.retransmit*(1<<losses-1)
			n, shorter := 0.0, 0.0
			for _, bar := range sum.Service[results.Ok].Bars() {
				switch at := time.Duration(bar.From) * time.Microsecond; {
				case float64(at) >= .99*float64(late):
					n += float64(bar.Count)
				case losses > 0 && float64(at) > 1.01*float64(base+row.retransmit*(1<<(losses-1)-1)):
					shorter += float64(bar.Count)
				}
			}
			p := math.Pow(row.loss, float64(losses))
			if want := all * p; math.Abs(n-want) > 4*math.Sqrt(all*p*(1-p))+.5 || shorter > 0 {
				t.Errorf("%+v: %.0f of %.0f attempts take %v or longer, and %.0f something between; want %.0f within four deviations", row, n, all, late, shorter, want)
			}
		}
	}
}

// What a thin line delays, the partition behind it never sees at once: it throttles nothing,
// though it could not serve what was due, and the report names the line and no saturation.
func TestAThinLineSparesThePartition(t *testing.T) {
	t.Parallel()
	request, _ := onWire("insert", 2000)
	const seconds = 15
	for _, row := range []struct{ offered, limit, line float64 }{{300, 200, 150}, {100, 60, 45}} {
		behind := func(bandwidth float64) *scenarios.Scenario {
			s := networked(t, fmt.Sprintf("client_bandwidth: %.0f", bandwidth), 2000, "insert",
				fmt.Sprintf("arrivals: {constant: %v}, for: %ds", row.offered, seconds))
			return runtest.Set(t, s, fmt.Sprintf("model.partition_target=%v", row.limit))
		}
		r, sum, figures := day(t, behind(request*row.line))
		assert.Truef(t, sum.Throttled == 0 && r.Summary.Saturation == nil,
			"%+v: %d are throttled, saturation %v", row, sum.Throttled, r.Summary.Saturation)
		// Due at one rate and carried at another, the last one waits for what is left.
		want := seconds * (row.offered/row.line - 1)
		got := time.Duration(figures.Named("max").Value).Seconds()
		assert.Truef(t, math.Abs(got-want) <= .03*want+.1, "%+v: the last one takes %.2f s; want %.2f s", row, got, want)
		assert.Nil(t, r.Summary.Phases[0].Holds, "a phase that the line limits")
		assert.Truef(t, len(r.Summary.ClientLimited) == 1 && r.Summary.State == results.CannotTell, "%+v: %s", row, r.Summary.State)
		_, without, _ := day(t, behind(0))
		assert.NotZerof(t, without.Throttled, "%+v: attempts throttled without the line", row)
	}
}

// Every region has a round trip of its own, and a search behind a thin line ends at the line.
func TestASearchEndsAtTheLine(t *testing.T) {
	t.Parallel()
	request, _ := onWire("insert", 2000)
	const carried = 120
	s := networked(t, fmt.Sprintf("client_bandwidth: %.0f, region: %s", request*carried, model.Regions()[0].Name), 2000, "insert",
		"partitions: [Rome], arrivals: {constant: 50}, for: 10s")
	r := runtest.Run(t, run.Plan{Scenario: s, Find: &campaign.Find{Of: results.LimitPartition, MaxThrottled: .01, From: 20, UpTo: 1000, Step: 5 * time.Second}})
	l := r.Limit
	assert.Truef(t, l != nil && l.NotHeld != nil && l.By == results.LimitClient && *l.NotHeld <= 1.4*carried &&
		(l.Held == nil || *l.Held <= 1.05*carried), "the search came to %+v", l)
}

// flatOut is a drawn load of clients that never pause, each of whose operations takes as long,
// and how many operations that comes to: each client begins one at the start, and the next as
// the one before has ended, until the time is over.
type flatOut struct {
	clients, seconds int
	trip, write      time.Duration
}

func drawnFlatOut(chance *rand.Rand) flatOut {
	micro := func(least, most int64) time.Duration {
		return time.Duration(least+chance.Int64N(most-least)) * time.Microsecond
	}
	return flatOut{clients: 1 + chance.IntN(40), seconds: 1 + chance.IntN(4), trip: micro(200, 20_000), write: micro(500, 30_000)}
}

func (f flatOut) scenario(t *testing.T) *scenarios.Scenario {
	return networked(t, fmt.Sprintf("round_trip: %s, write_time: %s", f.trip, f.write), 500, "insert-or-replace",
		fmt.Sprintf("clients: %d, think: 0, for: %ds", f.clients, f.seconds))
}

func (f flatOut) operations() int64 {
	length, each := time.Duration(f.seconds)*time.Second, f.trip+f.write
	return int64(f.clients) * int64((length+each-1)/each)
}

// Clients that never pause do one operation after another: how many, their answers decide. In real time
// they do as many, on a clock that stands still while they work.
func TestClientsFlatOut(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(32, 4))
	for range run.Tier(4, 12) {
		f := drawnFlatOut(chance)
		r, sum, _ := day(t, f.scenario(t))
		assert.Truef(t, sum.Operations == f.operations() && sum.Succeeded == f.operations() && r.Validity == results.Valid,
			"%+v: %d operations, %d of them served, %s", f, sum.Operations, sum.Succeeded, r.Validity)
	}
	synctest.Test(t, func(t *testing.T) {
		f := flatOut{clients: 7, seconds: 3, trip: 1300 * time.Microsecond, write: 4100 * time.Microsecond}
		record := runtest.Run(t, run.Plan{Scenario: f.scenario(t), On: run.InProcess, NoProbe: true})
		assert.Equal(t, f.operations(), record.Total(results.Reported).Operations)
	})
}

// Where a simulation answers at once they would never come to the end of an instant.
func TestClientsFlatOutOfTime(t *testing.T) {
	off := flatOut{clients: 2, seconds: 1, trip: time.Millisecond, write: time.Millisecond}.scenario(t)
	off.Model = scenarios.Model{Profile: "off"}
	for name, s := range map[string]*scenarios.Scenario{"the profile off": off, "no times": flatOut{clients: 2, seconds: 1}.scenario(t)} {
		_, err := run.Run(t.Context(), run.Plan{Scenario: s})
		assert.Truef(t, err != nil && strings.Contains(err.Error(), "the phase day") && !errors.Is(err, run.ErrTarget),
			"%s: error %v; want one that says that virtual time would not pass", name, err)
	}
}
