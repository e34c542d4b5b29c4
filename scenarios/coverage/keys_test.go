package coverage_test

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/advise/suggest"
	"loadgen/scenarios/run/runtest"
)

func keys() []row {
	const group = "Keys"
	return []row{
		{5, group, guide, "Keys compare as text, \"111\" before \"2\": pad numbers with zeros.", "`loadgen keys encode '{bib:08d}' bib=120`",
			"digits to which 1 to 120 are padded", "times that a smaller number follows in lexical order", quick,
			vary(descentsOfText, descentsOfTable, 0, 8)},
		{6, group, guide, "Of the properties that queries use, one is the PartitionKey, a second the RowKey; more are concatenated.",
			"`loadgen contest two-dominant-queries --suggest`", "properties that the dominant query uses", "properties in the two keys", false,
			vary(exactly[int], propertiesOfSuggestedKeys, 1, 3)},
		{7, group, guide, "A user id is a good PartitionKey; millions of keys do no harm.", "`loadgen simulate user-id-key`",
			"users", "partitions that 6,000 operations on random users reach; none is throttled", false,
			vary(distinctUsers, usersSeen, 1_000, 1_000_000)},
		{8, group, strategy, "Sequential keys share one range; random keys spread over all servers.", "`loadgen simulate append-only`",
			"PartitionKey", "share throttled at 300/s by the 100/s of one range; none for spread keys", false,
			vary(either("{number}", about(1-100./300, .01), band{0, .02}), playing[string]("throttled(order) %", "append-only", "design.partition_key=%v"), "{number}", "{reverse(number)}")},
		{9, group, patterns, "Inverted ticks of 19 digits sort the latest entity first, and convert back to the date.",
			"`loadgen keys decode '{at:inverted}' 2519721107999999999`", "date in the key", "seconds since 1970: ticks of the maximum date less the key", quick,
			vary(func(date string) band { return exactly(instant(date).Unix()) }, dateOfKey, "2014-07-31T18:00:00Z", "2026-03-01T08:00:00Z")},
	}
}

// descentsOfText is the rule: decimal texts, sorted as texts are.
func descentsOfText(width int) band {
	var texts []string
	for n := 1; n <= 120; n++ {
		texts = append(texts, fmt.Sprintf("%0*d", width, n))
	}
	slices.Sort(texts)
	return exactly(descents(texts))
}

func descents(texts []string) (down int) {
	before := 0
	for _, text := range texts {
		number, err := strconv.Atoi(text)
		if err != nil {
			return -1
		}
		if number < before {
			down++
		}
		before = number
	}
	return down
}

func descentsOfTable(t testing.TB, width int) float64 {
	w := newWire(t)
	for n := 1; n <= 120; n++ {
		w.insert("numbers", fmt.Sprintf("%0*d", width, n), "")
	}
	entities, _, _ := w.pages(url.Values{})
	var texts []string
	for _, one := range entities {
		texts = append(texts, one["RowKey"].(string))
	}
	return float64(descents(texts))
}

// propertiesOfSuggestedKeys returns of how many of the properties that a query knows the
// keys are made that are proposed first; negative where the PartitionKey or, of several, the
// RowKey has none of them.
func propertiesOfSuggestedKeys(t testing.TB, n int) float64 {
	known := []string{"event", "distance", "bib"}[:n]
	s := fromFile(t, "race.yaml", set("phases.day.operations.ask.by", "["+strings.Join(known, ", ")+"]"))
	proposal, err := suggest.Designs(s, nil)
	require.Truef(t, err == nil && len(proposal.Candidates) != 0,
		"%v: %d candidates; want one", err, len(proposal.Candidates))
	design := proposal.Candidates[0].Design
	partition, both := 0, 0
	for _, name := range known {
		if strings.Contains(design.PartitionKey, name) {
			partition++
		}
		if strings.Contains(design.PartitionKey+design.RowKey, name) {
			both++
		}
	}
	if partition == 0 || n > 1 && partition == both {
		return -1
	}
	return float64(both)
}

// distinctUsers is the rule: of u users, n draws leave one out with (1 − 1/u)ⁿ, and two of
// them with (1 − 2/u)ⁿ, from which the variance follows.
func distinctUsers(users int) band {
	const n = 6_000
	u := float64(users)
	one, two := math.Pow(1-1/u, n), math.Pow(1-2/u, n)
	variance := u*(u-1)*two + u*one - u*u*one*one
	return band{u * (1 - one), math.Ceil(deviations * math.Sqrt(variance))}
}

func usersSeen(t testing.TB, users int) float64 {
	p := play(t, "user-id-key", set("attributes.user", fmt.Sprintf("{uniform: [1, %d]}", users)),
		"phases.load.load.entities=1", "phases.work.for=4s", "phases.work.operations=[{name: save, verb: insert}]")
	if p.of(t, "throttled") > 0 {
		return -1
	}
	return p.of(t, "partitions(work)")
}

func instant(date string) time.Time {
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		panic(err)
	}
	return at
}

// dateOfKey stores a claim of that date under inverted ticks and returns the date that its
// RowKey, of 19 digits, leads back to.
func dateOfKey(t testing.TB, date string) float64 {
	s := runtest.Builtin(t, "log-tail", set("attributes.at", fmt.Sprintf("{time: %s, every: 90s}", date)))
	generator, err := s.Generator()
	require.NoError(t, err)
	key, _, _ := strings.Cut(generator.Key(0).Row, "_")
	inverted, err := strconv.ParseInt(key, 10, 64)
	if err != nil || len(key) != 19 {
		return -1
	}
	// DateTime.MaxValue: the last tick of the year 9999.
	last := entity.TicksOf(time.Date(9999, 12, 31, 23, 59, 59, 999_999_900, time.UTC))
	return float64((last - entity.Ticks(inverted)).Time().Unix())
}
