package results_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

func TestQuantileIsToldWhereTenDurationsLieBeyondIt(t *testing.T) {
	for _, row := range []struct {
		name string
		q    float64
		n    int
		told bool
	}{
		{"nothing says nothing", .5, 0, false},
		{"a median of 19 rests on too few", .5, 19, false},
		{"a median of 20 has ten beyond it", .5, 20, true},
		{"p90 of 99 rests on too few", .9, 99, false},
		{"p90 of 100 has ten beyond it", .9, 100, true},
		{"p99 of 999 rests on too few", .99, 999, false},
		{"p99 of 1,000 has ten beyond it", .99, 1000, true},
		{"p99.9 of 9,999 rests on too few", .999, 9999, false},
		{"p99.9 of 10,000 has ten beyond it", .999, 10000, true},
		{"the maximum is no quantile", 1, 10000, false},
	} {
		h := results.NewHistogram()
		for i := range row.n {
			h.Record(time.Duration(i+1) * time.Microsecond)
		}
		got, told := h.Quantile(row.q)
		assert.Equalf(t, row.told, told, "%s: Quantile(%v) told", row.name, row.q)
		want := math.Round(row.q * float64(row.n))
		assert.Truef(t, !told || math.Abs(float64(got)-want) <= 1+want/1000,
			"%s: Quantile(%v) = %d; want %v", row.name, row.q, got, want)
	}
}

func TestQuantilesOverAnHour(t *testing.T) {
	// Of 1,000 durations the last ones are over an hour, the others an hour at most.
	const hour = int64(time.Hour / time.Microsecond)
	for _, row := range []struct {
		over               int
		p50, p90, p99, max int64
	}{
		{0, hour, hour, hour, hour},
		{1, hour, hour, hour, results.OverHour},
		{10, hour, hour, hour, results.OverHour},
		{11, hour, hour, results.OverHour, results.OverHour},
		{101, hour, results.OverHour, results.OverHour, results.OverHour},
		{1000, results.OverHour, results.OverHour, results.OverHour, results.OverHour},
	} {
		h, half := results.NewHistogram(), results.NewHistogram()
		for n := range 1000 {
			d := time.Hour
			if n < row.over {
				d = 20 * time.Hour
			}
			if n%2 == 0 {
				h.Record(d)
			} else {
				half.Record(d)
			}
		}
		h.Merge(half)
		text, err := json.Marshal(h)
		if err == nil {
			err = json.Unmarshal(text, h)
		}
		got := results.QuantilesOf(h)
		if err != nil || *got.P50 != row.p50 || *got.P90 != row.p90 || *got.P99 != row.p99 || *got.Max != row.max || got.OverHour != int64(row.over) ||
			math.Abs(h.Mean()/float64(hour)-1) > .001 {
			t.Errorf("%d over an hour: p50 %d, p90 %d, p99 %d, max %d, over %d, mean %v, %v; want %+v, and an hour on the mean",
				row.over, *got.P50, *got.P90, *got.P99, *got.Max, got.OverHour, h.Mean(), err, row)
		}
	}
}

func TestHistogramEdges(t *testing.T) {
	for _, row := range []struct {
		name      string
		d         time.Duration
		max, over int64
	}{
		{"below zero counts as zero", -time.Second, 0, 0},
		{"below a microsecond counts as zero", 999 * time.Nanosecond, 0, 0},
		{"a microsecond is one", time.Microsecond, 1, 0},
		{"an hour is within", time.Hour, 3_600_000_000, 0},
		{"more than an hour is over an hour, however long", 25 * time.Hour, results.OverHour, 1},
		{"the longest duration there is", math.MaxInt64, results.OverHour, 1},
	} {
		h := results.NewHistogram()
		h.Record(row.d)
		if h.Count() != 1 || h.Overlong() != row.over || math.Abs(float64(h.Max()-row.max)) > float64(row.max)/1000 {
			t.Errorf("%s: Record(%v) = count %d, over %d, max %d; want 1, %d, %d",
				row.name, row.d, h.Count(), h.Overlong(), h.Max(), row.over, row.max)
		}
	}
	for _, h := range []*results.Histogram{nil, {}} {
		assert.Truef(t, h.Count() == 0 && h.Overlong() == 0 && h.Max() == 0 && h.Mean() == 0 && h.Bars() == nil,
			"an empty histogram is not empty: %v", h)
	}
}

// encoded returns the JSON of a histogram of another span that holds values.
func encoded(t testing.TB, count int64, highest int64, figures int, values ...int64) string {
	t.Helper()
	other := hdrhistogram.New(1, highest, figures)
	for _, v := range values {
		require.NoError(t, other.RecordValue(v), "RecordValue")
	}
	text, err := other.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	require.NoError(t, err, "Encode")
	return fmt.Sprintf(`{"count":%d,"hdr":"%s"}`, count, text)
}

func TestHistogramJSONIsChecked(t *testing.T) {
	for _, row := range []struct {
		name, text string
		ok         bool
	}{
		{"an empty one", `{"count":0}`, true},
		{"another span that fits", encoded(t, 2, 1e12, 2, 5, 7_000), true},
		{"another span that does not fit", encoded(t, 1, 1e12, 2, 1e11), false},
		{"millions of buckets", encoded(t, 1, 1e12, 5, 5), false},
		{"a count that is not its own", encoded(t, 3, 1e12, 2, 5, 7_000), false},
		{"a count without buckets", `{"count":1}`, false},
		{"a negative count", `{"count":-1}`, false},
		{"more over an hour than there are", `{"count":0,"over_one_hour":1}`, false},
		{"fewer than none over an hour", `{"count":0,"over_one_hour":-1}`, false},
		{"a count that overflows what is merged", `{"count":9223372036854775807,"hdr":"x"}`, false},
		{"no base64", `{"count":1,"hdr":"%"}`, false},
		{"no object", `[]`, false},
	} {
		var h results.Histogram
		err := json.Unmarshal([]byte(row.text), &h)
		assert.Truef(t, (err == nil) == row.ok && (err == nil || errors.Is(err, results.ErrCorrupt)),
			"%s: Unmarshal(%.60s) = %v; want ok %t or ErrCorrupt", row.name, row.text, err, row.ok)
		assert.Truef(t, err == nil || (h.Count() == 0 && h.Overlong() == 0),
			"%s: a refused histogram holds %d; want none", row.name, h.Count())
	}
}

// FuzzHistogramJSON holds that no text panics and that what is accepted is the
// same when it is written and read again, and can be merged.
func FuzzHistogramJSON(f *testing.F) {
	f.Add([]byte(`{"count":0}`))
	f.Add([]byte(encoded(f, 2, 1e12, 2, 5, 7_000)))
	f.Add([]byte(encoded(f, 1, 1e12, 2, 1e11)))
	f.Add([]byte(`{"count":1,"over_one_hour":1,"hdr":"HISTFAAAABN42pNpmSzMwMDAzAABMJoRAACZ/gCk"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var one, two results.Histogram
		if json.Unmarshal(text, &one) != nil {
			return
		}
		again, err := json.Marshal(&one)
		require.NoError(t, err, "Marshal")
		require.NoErrorf(t, json.Unmarshal(again, &two), "Unmarshal(%s)", again)
		assert.Truef(t, one.Count() == two.Count() && one.Overlong() == two.Overlong() && reflect.DeepEqual(one.Bars(), two.Bars()),
			"read, written and read again differs: %s", again)
		two.Merge(&one)
		assert.Equal(t, 2*one.Count(), two.Count(), "merged with itself")
		results.QuantilesOf(&one)
	})
}

func TestBucketsMeetAtTheirBoundaries(t *testing.T) {
	for b := range results.Buckets {
		from := results.BucketFrom(b)
		assert.Equalf(t, b, results.BucketOf(time.Duration(from)*time.Microsecond), "BucketOf(BucketFrom(%d) = %d µs)", b, from)
		got := results.BucketOf(time.Duration(from)*time.Microsecond - 1)
		assert.Truef(t, b <= 0 || got == b-1, "BucketOf(%d µs less 1 ns) = %d; want %d", from, got, b-1)
	}
	for _, row := range []struct {
		name string
		d    time.Duration
		want int
	}{
		{"below zero", -time.Hour, 0},
		{"zero", 0, 0},
		{"a microsecond", time.Microsecond, 1},
		{"two microseconds", 2 * time.Microsecond, 2},
		{"a second: 2^19 ≤ 10^6 < 1.5·2^20", time.Second, 39},
		{"just before the last bucket", 3221225471 * time.Microsecond, 62},
		{"the last bucket", 3221225472 * time.Microsecond, 63},
		{"the longest duration there is", math.MaxInt64, 63},
	} {
		assert.Equalf(t, row.want, results.BucketOf(row.d), "%s: BucketOf(%v)", row.name, row.d)
	}
}

// Histograms of few and of many buckets, and sums of them, say what one of hdrhistogram's says, to the last digit.
func TestHistogramAgreesWithHdrhistogram(t *testing.T) {
	if testing.Short() {
		t.Skip("a single goroutine")
	}
	rng := rand.New(rand.NewPCG(7, 47))
	for seed := range resultstest.Cases(20, 300) {
		h, hdr := results.NewHistogram(), hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)
		values := make([]int64, 1+rng.IntN([]int{200, 2000}[seed%2]))
		for i := range values {
			values[i] = rng.Int64N(1 << rng.IntN(32))
		}
		sum := results.NewHistogram()
		for range 1 + rng.IntN(2*len(values)) {
			v := values[rng.IntN(len(values))]
			h.Record(time.Duration(v) * time.Microsecond)
			require.NoError(t, hdr.RecordValue(v))
			if rng.IntN(20) == 0 {
				sum.Merge(h)
				_, err := sum.Encoded() // which later changes replace
				require.NoError(t, err)
				h = results.NewHistogram()
			}
		}
		sum.Merge(h)
		sum.Merge(nil)
		assert.Equal(t, hdr.TotalCount(), sum.Count(), seed)
		assert.Equal(t, hdr.Max(), sum.Max(), seed)
		assert.Equal(t, hdr.Mean(), sum.Mean(), seed)
		for _, q := range []float64{.1, .5, .9, .99} {
			if v, told := sum.Quantile(q); told {
				assert.Equal(t, hdr.ValueAtQuantile(100*q), v, "seed %d, p%v", seed, 100*q)
			}
		}
		var bars []results.Bar
		for _, b := range hdr.Distribution() {
			if b.Count > 0 {
				bars = append(bars, results.Bar{From: b.From, To: b.To, Count: b.Count})
			}
		}
		assert.Equal(t, bars, sum.Bars(), seed)
		text, err := sum.Encoded()
		require.NoError(t, err)
		want, err := hdr.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		require.NoError(t, err)
		assert.Equal(t, string(want), text, seed)
		spoilt := []byte(text)
		spoilt[rng.IntN(len(spoilt))] ^= 1
		for _, encoded := range []string{text, string(spoilt)} {
			var minute results.Minute
			form := fmt.Sprintf(`{"response": {"count": %d, "hdr": %q}}`, sum.Count(), encoded)
			if err := json.Unmarshal([]byte(form), &minute); err == nil || encoded == text {
				assert.Equal(t, sum.Bars(), minute.Response.Bars(), "seed %d: %v", seed, err)
			}
		}
	}
}
