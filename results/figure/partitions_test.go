package figure_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// drawn is a run over partitions, and what each of them had in each of the run's seconds,
// added up as its attempts are told.
type drawn struct {
	recorder        *results.Recorder
	folder          *results.Memory
	phases          []results.Phase
	offered, served []map[[2]string]map[time.Duration]int64
}

// recorded begins a run with phases of so many seconds, one after the other.
func recorded(t *testing.T, seconds ...int) *drawn {
	t.Helper()
	d := &drawn{folder: new(results.Memory)}
	d.recorder = resultstest.Open(t, d.folder, manifest())
	begin := time.Duration(0)
	for i, n := range seconds {
		phase := results.Phase{Name: fmt.Sprintf("phase-%d", i), Begin: begin, End: begin + time.Duration(n)*time.Second, Rate: 1, Reported: true}
		d.recorder.Phase(phase)
		begin = phase.End
		d.phases = append(d.phases, phase)
		d.offered = append(d.offered, make(map[[2]string]map[time.Duration]int64))
		d.served = append(d.served, make(map[[2]string]map[time.Duration]int64))
	}
	return d
}

// operation is due at an instant, on a partition, for so many entities. It is throttled
// first where a retry is to succeed that much later.
func (d *drawn) operation(due time.Duration, of [2]string, entities int64, retry time.Duration) {
	phase := d.at(due)
	a := results.Attempt{Phase: phase, Kind: 1, Intended: due, Sent: due, Done: due + time.Millisecond, Class: results.Ok, Entities: entities,
		Counted: entities, HasPartition: true, Table: of[0], PartitionKey: of[1]}
	if retry > 0 {
		a.Class, a.Counted = results.Throttled, 0
		d.recorder.Attempt(&a)
		a.Class, a.Counted, a.Try, a.Retry, a.Done = results.Ok, entities, 1, true, due+retry
	}
	d.recorder.Attempt(&a)
	tally(d.offered[phase], of, due-d.phases[phase].Begin, entities)
	if ended := d.at(a.Done); ended >= 0 {
		tally(d.served[ended], of, a.Done-d.phases[ended].Begin, entities)
	}
}

func tally(all map[[2]string]map[time.Duration]int64, of [2]string, at time.Duration, entities int64) {
	if all[of] == nil {
		all[of] = make(map[time.Duration]int64)
	}
	all[of][at/time.Second] += entities
}

// at returns the phase of an instant, −1 beyond the last.
func (d *drawn) at(instant time.Duration) int {
	for i, phase := range d.phases {
		if instant < phase.End {
			return i
		}
	}
	return -1
}

// truth returns the greatest second and the greatest mean of a partition in the phases.
func (d *drawn) truth(all []map[[2]string]map[time.Duration]int64, phases ...int) (second, mean float64) {
	for _, p := range phases {
		for _, seconds := range all[p] {
			sum := int64(0)
			for _, entities := range seconds {
				sum += entities
				second = max(second, float64(entities))
			}
			mean = max(mean, float64(sum)/d.phases[p].Seconds())
		}
	}
	return second, mean
}

func (d *drawn) figures(t *testing.T) *figure.Figures {
	t.Helper()
	resultstest.Finish(t, d.recorder, d.phases[len(d.phases)-1].End)
	return figure.Of(resultstest.Read(t, d.folder))
}

// same holds what is told of the hottest partition, of the run and of each phase, against
// what the attempts add up to. It returns how many of the figures are told; of the others
// is known that they are at least what the named partitions had.
func (d *drawn) same(t *testing.T, name string, figures *figure.Figures) (told int) {
	t.Helper()
	for scope := -1; scope < len(d.phases); scope++ {
		phases, of, alone := []int{scope}, ", phase-"+fmt.Sprint(scope), "(phase-"+fmt.Sprint(scope)+")"
		if scope < 0 {
			phases, of, alone = nil, "", ""
			for p := range d.phases {
				phases = append(phases, p)
			}
		}
		offered, meanOffered := d.truth(d.offered, phases...)
		served, meanServed := d.truth(d.served, phases...)
		for text, want := range map[string]float64{"offered(hottest" + of + ")": offered, "served(hottest" + of + ")": served,
			"mean_offered" + alone: meanOffered, "mean_served" + alone: meanServed} {
			got := figures.Take(parsed(t, text))
			switch {
			case got.Told && math.Abs(got.Value-want) > 1e-9*want, !got.Told && (!got.AtLeast || got.Value > want*(1+1e-9)):
				t.Errorf("%s: %s = %+v; want %v", name, text, got, want)
			case got.Told:
				told++
			}
		}
	}
	return told
}

// What is told of the hottest partition is what the attempts add up to, whichever
// partitions had bursts and which a steady load.
func TestHottestPartitionIsWhatTheAttemptsAddUpTo(t *testing.T) {
	for seed := range uint64(resultstest.Cases(5, 200)) {
		random := rand.New(rand.NewPCG(seed, 21))
		d := recorded(t, 2+random.IntN(8), 2+random.IntN(8))
		for key := range 1 + random.IntN(60) {
			of := [2]string{[]string{"", "ByState"}[random.IntN(2)], fmt.Sprint(key)}
			for p, phase := range d.phases {
				whole := int(phase.Seconds())
				steady, burst := 1+random.Int64N(40), int64(0)
				if random.IntN(2) == 0 {
					steady, burst = 0, 20+random.Int64N(200)
				}
				for second := range whole {
					due := phase.Begin + time.Duration(second)*time.Second + time.Duration(random.Int64N(int64(990*time.Millisecond)))
					retry := time.Duration(max(0, random.IntN(4)-2)) * time.Duration(1+random.IntN(3000)) * time.Millisecond
					if steady > 0 && random.IntN(8) > 0 {
						d.operation(due, of, steady, retry)
					}
					if burst > 0 && second == (key+p)%whole {
						d.operation(due, of, burst, retry)
					}
				}
			}
		}
		// Whatever the draw, every phase has something that is served within it.
		for _, phase := range d.phases {
			d.operation(phase.Begin, [2]string{"", "always"}, 1, 0)
		}
		assert.Equalf(t, 12, d.same(t, fmt.Sprint("seed ", seed), d.figures(t)), "seed %d: figures that are told", seed)
		if t.Failed() {
			return
		}
	}
}

// Of partitions beyond those that are told apart only a bound is known, unless they had
// too little together to matter.
func TestHottestBeyondThePartitionsToldApart(t *testing.T) {
	for _, row := range []struct {
		name       string
		late, told int
	}{
		{"one entity each, fewer than the hottest had in a second", 20, 8},
		{"more together than the hottest had in a second, not than in the phase", 60, 4},
		{"more together than the hottest had in the phase", 600, 0},
	} {
		d := recorded(t, 4)
		for second := range 4 {
			d.operation(time.Duration(second)*time.Second, [2]string{"", "hot"}, 50, 0)
		}
		for key := range 9_999 + row.late {
			d.operation(0, [2]string{"", strings.Repeat("x", key%3) + fmt.Sprint(key)}, 1, 0)
		}
		assert.Equalf(t, row.told, d.same(t, row.name, d.figures(t)), "%s: figures of 8 that are told", row.name)
	}
}

// A record in which only the busiest seconds chose the partitions tells no mean of more
// than those.
func TestMeansOfARecordThatNamesOnlyTheBusiest(t *testing.T) {
	record := kept(t)
	for hit, want := range map[int64]bool{2: true, 10: true, 11: false} {
		record.Phases[1].PartitionsHit = hit
		for _, text := range []string{"mean_offered", "mean_served"} {
			if got := figure.Of(record).Take(parsed(t, text)); got.Told != want || !got.Told && !got.AtLeast {
				t.Errorf("%s of %d partitions, 2 of them named, = %+v; want it told: %v", text, hit, got, want)
			}
		}
	}
}
