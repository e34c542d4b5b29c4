package advise

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/advise/keystatistics"
)

// stream is what one partition or one tail inserts: its rate in each second, and its keys.
type stream struct {
	rates []float64
	key   func(i int) string
	// free is of keys that are all different, at random places: no target limits them.
	free bool
}

// traffic is a number of streams with a known limit.
type traffic struct {
	what    string
	streams []stream
}

// peak returns the rate of all streams in the busiest second.
func (t *traffic) peak() (most float64) {
	for second := range t.streams[0].rates {
		sum := 0.0
		for _, one := range t.streams {
			sum += one.rates[second]
		}
		most = max(most, sum)
	}
	return most
}

// throttled returns what a token bucket of 2,000/s with a burst of 200 for each stream refuses, of all that
// comes, if the busiest second of all has a rate.
func (t *traffic) throttled(rate float64) float64 {
	refused, all, scale := 0.0, 0.0, rate/t.peak()
	for i := range t.streams {
		tokens := 200.0
		for _, n := range t.streams[i].rates {
			all += n * scale
			if tokens = min(200, tokens+2000-n*scale); tokens < 0 {
				if !t.streams[i].free {
					refused -= tokens
				}
				tokens = 0
			}
		}
	}
	return refused / all
}

// carries returns the highest rate of the busiest second at which nothing is refused, and how many rows show
// it: those of the busiest time of the stream that is refused first.
func (t *traffic) carries() (rate, rows float64) {
	low, high := 1.0, 20_000.0
	for range 40 {
		if middle := math.Sqrt(low * high); t.throttled(middle) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	rows = math.Inf(1)
	for i := range t.streams {
		alone := traffic{streams: t.streams[i : i+1]}
		if alone.throttled(1.01*high*alone.peak()/t.peak()) > 0 {
			longest, near := 0.0, 0.0
			for _, n := range t.streams[i].rates {
				if near += n; n < 0.9*alone.peak() {
					near = 0
				}
				longest = max(longest, near)
			}
			rows = min(rows, longest)
		}
	}
	return high, rows
}

// file returns the rows of all streams in the order of time, evenly or by chance, with milliseconds or whole
// seconds.
func (t *traffic) file(chance *rand.Rand, even bool) string {
	type row struct {
		at  float64
		key string
	}
	var rows []row
	for s := range t.streams {
		one, made, due := &t.streams[s], 0, chance.Float64()
		for second, rate := range one.rates {
			due += rate
			n := int(due) - made
			if !even {
				n = poisson(chance, rate)
			}
			at := make([]float64, n)
			for i := range at {
				if at[i] = (float64(i) + 0.5) / float64(n); !even {
					at[i] = chance.Float64()
				}
			}
			slices.Sort(at)
			for i := range at {
				rows = append(rows, row{float64(second) + at[i], one.key(made + i)})
			}
			made += n
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.at, b.at) })
	layout := "2006-01-02T15:04:05.000Z"
	if chance.IntN(2) == 0 {
		layout = "2006-01-02T15:04:05Z"
	}
	return columns("PartitionKey,RowKey,instant", len(rows), func(i int) string {
		at := time.Unix(1_780_000_000, 0).Add(time.Duration(rows[i].at * float64(time.Second))).UTC()
		return fmt.Sprintf("%s,%d,%s", rows[i].key, i, at.Format(layout))
	})
}

func poisson(chance *rand.Rand, mean float64) int {
	n := 0
	for sum := chance.ExpFloat64(); sum < mean; sum += chance.ExpFloat64() {
		n++
	}
	return n
}

// constant returns a rate for a number of seconds, with another rate within from and to.
func constant(seconds int, rate float64, from, to int, other float64) []float64 {
	rates := make([]float64, seconds)
	for i := range rates {
		if rates[i] = rate; i >= from && i < to {
			rates[i] = other
		}
	}
	return rates
}

// crowdOf returns keys that share a rate unevenly.
func crowdOf(chance *rand.Rand, keys, seconds int, rate float64) (list []stream) {
	sum := 0.0
	weights := make([]float64, keys)
	for i := range weights {
		weights[i] = 1 + chance.Float64()
		sum += weights[i]
	}
	for i := range weights {
		name := fmt.Sprintf("key%03d", i*7919%1009)
		list = append(list, stream{rates: constant(seconds, rate*weights[i]/sum, 0, 0, 0), key: func(int) string { return name }})
	}
	return list
}

// randomKeys returns a stream of keys at random places.
func randomKeys(chance *rand.Rand, seconds int, rate float64) stream {
	return stream{rates: constant(seconds, rate, 0, 0, 0), key: func(int) string { return fmt.Sprintf("%016x", chance.Uint64()) }, free: true}
}

// tailKeys returns the keys of one of several tails: upwards, downwards, in disorder, or under a prefix that
// moves on.
func tailKeys(chance *rand.Rand, form, number int) func(i int) string {
	return func(i int) string {
		switch form {
		case 0:
			return fmt.Sprintf("%x_%09d", number+3, i)
		case 1:
			return fmt.Sprintf("%x_%09d", number+3, 900_000_000-i)
		case 2:
			return fmt.Sprintf("%x_%09d", number+3, 10*i+chance.IntN(200))
		case 3:
			return fmt.Sprintf("%x_%05d_%04x", number+3, i/20, chance.IntN(1<<16))
		default:
			return fmt.Sprintf("%x_%d", number+3, i+1)
		}
	}
}

// drawTraffic draws traffic of one of eight kinds.
func drawTraffic(n int, chance *rand.Rand) traffic {
	seconds := 60 + chance.IntN(120)
	rate := 100 + 200*chance.Float64()
	keys := 2 + chance.IntN(30)
	first := chance.IntN(seconds - 40)
	switch n % 8 {
	case 0:
		return traffic{"even", crowdOf(chance, keys, seconds, rate)}
	case 1, 2:
		length := []int{1, 1 + chance.IntN(40)}[n%8-1]
		t := traffic{fmt.Sprintf("one key for %d s", length), crowdOf(chance, keys, seconds, rate)}
		t.streams[0].rates = constant(seconds, t.streams[0].rates[0], first, first+length, (1+3*chance.Float64())*2000/math.Sqrt(float64(length)))
		return t
	case 3:
		const day = 3 * 3600
		t := traffic{"one key for an hour", crowdOf(chance, keys, day, 2)}
		t.streams[0].rates = constant(day, t.streams[0].rates[0], 2000, 5600, 1+8*chance.Float64())
		return t
	case 4:
		t := traffic{"waves", crowdOf(chance, keys, seconds, rate)}
		for i := range t.streams {
			phase, period, mean := chance.Float64(), 20+float64(chance.IntN(100)), t.streams[i].rates[0]
			for s := range t.streams[i].rates {
				t.streams[i].rates[s] = mean * (1 + math.Sin(2*math.Pi*(float64(s)/period+phase)))
			}
		}
		return t
	case 5, 6:
		share, tails, form := 0.1+0.9*chance.Float64(), 1+chance.IntN(4), chance.IntN(5)
		t := traffic{what: fmt.Sprintf("%d tails of form %d with %.2f of all", tails, form, share)}
		for i := range tails {
			t.streams = append(t.streams, stream{rates: constant(seconds, share*rate/float64(tails), 0, 0, 0), key: tailKeys(chance, form, i)})
		}
		if n%8 == 6 {
			t.what += ", one of them busier for half a minute"
			mean := t.streams[0].rates[0]
			t.streams[0].rates = constant(seconds, mean, first, first+30, mean+rate)
		}
		t.streams = append(t.streams, randomKeys(chance, seconds, (1-share)*rate))
		return t
	default:
		seconds, rate = seconds/2, 2*rate
		t := traffic{what: "in turn", streams: []stream{randomKeys(chance, seconds, rate)}}
		turn, mean, order := 1+chance.IntN(10), rate*chance.Float64(), 1+2*chance.IntN(2)*chance.IntN(500)
		for i := 0; i < seconds; i += turn {
			name := fmt.Sprintf("customer%04d", i*order%1009)
			t.streams = append(t.streams, stream{rates: constant(seconds, 0, i, i+turn, mean), key: func(int) string { return name }})
		}
		return t
	}
}

// Keys of files are judged as a token bucket for each partition and tail does, at any time, and so is a
// design that forms the same keys. Few rows show rates less precisely, and so do rows by chance.
func TestKeysInTime(t *testing.T) {
	cases, falseAlarms, outliers := resultstest.Cases(40, 400), 0, 0
	for n := range cases {
		chance := rand.New(rand.NewPCG(uint64(n), 77))
		traffic, even := drawTraffic(n, chance), n/8%2 == 0
		text := traffic.file(chance, even)
		carries, rows := traffic.carries()
		off := 0.05 + 1/math.Sqrt(rows)
		if !even {
			off += 2 / math.Sqrt(rows)
		}
		rate := min(20_000, carries*math.Exp(1.4*chance.Float64()-0.7))
		k, err := FromKeys(strings.NewReader(text), KeysOptions{File: "keys.csv", PerSecond: rate, Targets: documented})
		require.NoError(t, err)
		designed, err := FromRows(strings.NewReader(text), []Candidate{{"{PartitionKey}", "{RowKey}"}},
			KeysOptions{File: "keys.csv", PerSecond: rate, Targets: documented, Time: "instant"})
		require.NoError(t, err)
		what := fmt.Sprintf("case %d, %s, even %v, %d rows: %s", n, traffic.what, even, k.Rows, k.Verdict)
		assert.Equalf(t, k.Verdict, strings.Replace(designed.Verdict, " PartitionKey {PartitionKey}, RowKey {RowKey}.", "", 1), "%s: of the design", what)
		throttled := traffic.throttled(rate)
		assert.Falsef(t, k.State == results.Holds && throttled > 0.02, "%s: throttled is %.3f", what, throttled)
		if k.State == results.DoesNotHold && throttled == 0 {
			falseAlarms++
			t.Logf("%s: nothing is throttled below %.0f", what, carries)
		}
		if most, _ := k.capacity(); math.Abs(most-carries) > off*carries {
			assert.Falsef(t, even, "%s: the bucket carries %.0f/s", what, carries)
			outliers++
			t.Logf("%s: the bucket carries %.0f/s", what, carries)
		}
	}
	assert.LessOrEqualf(t, outliers*100, 2*cases, "%d of %d files have another limit by chance", outliers, cases)
	assert.LessOrEqualf(t, falseAlarms*100, cases, "%d of %d files do not hold what is not throttled", falseAlarms, cases)
}

// Of more rows than are kept in time a part is judged, and the busiest time is found in it.
func TestPartOfManyRowsInTime(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 78))
	traffic := drawTraffic(18, chance)
	limits := map[int]float64{}
	for _, moments := range []int{1 << 20, 1 << 12} {
		seen := keystatistics.New(keystatistics.Options{Moments: moments})
		_, err := keystatistics.ReadKeys(strings.NewReader(traffic.file(rand.New(rand.NewPCG(6, 78)), true)), keystatistics.ReadOptions{}, seen)
		require.NoError(t, err)
		report := seen.Report()
		assert.Equal(t, moments < int(report.Rows), report.Peak.Weight > 1)
		limits[moments] = 2000 * report.Peak.Key.Capacity
	}
	carries, _ := traffic.carries()
	assert.InEpsilon(t, carries, limits[1<<20], 0.05)
	assert.InEpsilon(t, carries, limits[1<<12], 0.2, traffic.what)
}
