package html_test

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/report/html"
)

// rendered returns the page of a document.
func rendered(t testing.TB, d *document.Document, pictures map[string]template.HTML) []byte {
	t.Helper()
	var page bytes.Buffer
	err := html.Render(&page, d, pictures)
	require.NoErrorf(t, err, "Render = %v; want a page", err)
	return page.Bytes()
}

// picture is an SVG as package chart draws them for a page.
const picture template.HTML = `<svg role="img" aria-label="drawn" viewBox="0 0 360 288" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<path d="M40,248L350,248" fill="none" stroke="var(--ink-axis,#555555)"/><path d="M40,248L180,120L350,120" fill="none" stroke="var(--ink-served,#0072B2)"/>
<image x="60" y="20" width="120" height="40" preserveAspectRatio="none" image-rendering="pixelated" xlink:href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="/>
<text x="60" y="270" fill="var(--ink-text,#222222)">offered per second</text></svg>
`

// wave returns numbers over time, each second one.
func wave(seconds int, of func(second float64) float64) []*float64 {
	values := make([]*float64, seconds)
	for i := range values {
		if v := of(float64(i)); !math.IsNaN(v) {
			values[i] = new(math.Round(v))
		}
	}
	return values
}

func clockOf(seconds int) []float64 {
	at := make([]float64, seconds)
	for i := range at {
		at[i] = float64(i)
	}
	return at
}

// stress is a report with everything that one may hold.
func stress(seconds int) *document.Document {
	third := float64(seconds) / 3
	load := func(s float64) float64 { return 1000 * math.Pow(2, math.Floor(s/third)) }
	ripple := func(s float64) float64 { return 1 + .03*math.Sin(s*1.7) + .02*math.Sin(s*.31) }
	return &document.Document{
		Title:    "Stress test of one partition",
		Subtitle: "in-process · profile documented · warm start · virtual time · seed 1 · 2011-11-06 09:40:00 UTC, 60 s",
		Answer: document.Answer{State: document.Saturates, Claim: "SATURATES at 2,000 entities/s", Number: "2,000", Unit: "entities/s",
			Beside: "target 2,000/s · seconds 1,997–2,003",
			Says:   []string{`PartitionKey "2011 New York City Marathon__Full"`, "At 4,000/s 50.0% is lost: spread this key over at least 2 partitions."}},
		Screen: []document.Block{ladder(), steps(), document.Facts{Lines: []string{"58,000 operations due: 44,200 served", "accounting exact"}}},
		Sections: []document.Section{
			{ID: "verdict", Title: "Verdict", Blocks: []document.Block{
				document.Paragraph{Lead: true, Text: "Every operation of this PartitionKey goes to one partition."},
				document.Paragraph{Tone: document.Good, Text: "valid"},
			}},
			{ID: "cannot", Title: "What this run cannot tell", Blocks: []document.Block{document.List{Items: []string{
				"The limits are those of profile documented, held hard: the real service may grant more while a server is idle, and less while it is busy.",
				"The times of request and reply are assumptions: they show how waiting grows, not how fast the service is.",
			}}}},
			{ID: "served", Title: "Offered against served", Blocks: []document.Block{stressTable(), steps()}},
			{ID: "checks", Title: "Expectations", Blocks: []document.Block{claims()}},
			{ID: "time", Title: "Over time", Blocks: []document.Block{rate(seconds, load, ripple), quantiles(seconds, load, ripple), refusals(seconds, load, ripple)}},
			{ID: "shape", Title: "Latency", Blocks: []document.Block{
				document.Chart{ID: "latency", Title: "Response and service time", Says: "Half of the successes take over 500 ms once refusals set in."},
				document.Chart{ID: "heat", Title: "Partitions over time", Says: "One partition takes all of the load."},
			}},
			{ID: "repeat", Title: "Repeat this run", Blocks: []document.Block{document.Paragraph{
				Verbatim: true, Text: "loadgen stress --partition-key '2011 New York City Marathon__Full'",
			}}},
		},
	}
}

// steps is the chart that answers.
func steps() document.Chart {
	return document.Chart{ID: "steps", Title: "Served bends at 2,000 entities/s", Says: "Served follows offered up to 2,000 entities/s and stays there."}
}

// ladder is a table with bars.
func ladder() document.Table {
	t := document.NewTable("ladder", "Each step (modelled)", "offered/s", "served of offered", "GET p50|unit=ms|spare=1", "")
	for _, offered := range []float64{1000, 2000, 4000} {
		t.Add(fmt.Sprint(offered), &document.Bar{Solid: min(offered, 2000), Hollow: max(0, offered-2000), Mark: 2000, Full: 4000}, "4.30", "")
	}
	return t
}

func claims() document.Table {
	t := document.NewTable("claims", "Expectations of the scenario", "expectation|words", "observed", "outcome|words")
	t.Add("saturation > 1,900 entities/s", "2,000", document.Good, "pass")
	t.Add("share lost < 1%", "50.0%", document.Bad, "fail")
	t.Add("response p99.9 < 100 ms", nil, document.Doubtful, "cannot be told")
	return t
}

func stressTable() document.Table {
	t := document.NewTable("steps", "All operations by step, against the partition's target of 2,000 entities/s", "step|unit=operations/s", "offered|unit=entities/s",
		"served|unit=entities/s", "lost|unit=%", "p50|unit=ms|group=response", "p90|unit=ms|group=response", "p99|unit=ms|group=response",
		"max|unit=ms|group=response", "p50|unit=ms|group=service", "p90|unit=ms|group=service", "p99|unit=ms|group=service", "max|unit=ms|group=service")
	t.Add(1000, 1000, 1000, "0", "5.20", "6.78", "7.01", "7.24", "5.06", "6.64", "6.90", "6.97")
	t.Add(2000, 2000, 2000, "0", "5.20", "6.76", "7.10", "7.28", "5.17", "6.57", "6.88", "7.00")
	t.Add(4000, 4000, 2000, "50.0", "506.9", "508.7", nil, "509.4", "5.20", "6.63", nil, "6.97")
	t.Notes = []string{"response: ms of the operations that succeeded, from the instant at which they were due to the end of their last attempt, waits included; –: fewer than ten durations lie beyond"}
	return t
}

func rate(seconds int, load, ripple func(float64) float64) document.Series {
	phases := []document.Mark{{Second: 0, Text: "1,000 operations/s"}}
	for i := 1; i < 3; i++ {
		phases = append(phases, document.Mark{Second: float64(i * seconds / 3), Text: fmt.Sprintf("%d,000 operations/s", 1<<i)})
	}
	phases = append(phases, document.Mark{Second: float64(seconds) * .8, Text: "range moves to server 2", Balance: true})
	return document.Series{
		ID: "rate", Title: "Rate", Unit: "entities/s", Seconds: clockOf(seconds), Marks: phases,
		Says:  "Served follows offered up to the target, then stays at 2,000 entities/s.",
		Level: &document.Level{Name: "target", Value: 2000},
		Lines: []document.Line{
			{Name: "offered", Meaning: document.Offered, Values: wave(seconds, load)},
			{Name: "served", Meaning: document.Served, Values: wave(seconds, func(s float64) float64 { return min(2000, load(s)*ripple(s)) })},
			{Name: "throttled attempts", Meaning: document.Throttled, Values: wave(seconds, func(s float64) float64 { return max(0, load(s)*ripple(s)-2000) * 1.6 })},
			{Name: "failed attempts", Meaning: document.Failed, Values: wave(seconds, func(s float64) float64 { return max(0, 90*math.Sin(s/2)-60) })},
		},
	}
}

func quantiles(seconds int, load, ripple func(float64) float64) document.Series {
	of := func(base, late float64) []*float64 {
		return wave(seconds, func(s float64) float64 {
			switch {
			case math.Mod(s, 17) == 11:
				return math.NaN()
			case load(s) > 2000:
				return late * ripple(s)
			}
			return base * ripple(s)
		})
	}
	return document.Series{
		ID: "p99", Title: "Response time", Unit: "ms", Log: true, Seconds: clockOf(seconds),
		Says: "It jumps from 7 to 500 ms where refusals set in.",
		Lines: []document.Line{
			{Name: "p50", Meaning: document.First, Values: of(5, 300)}, {Name: "p99", Meaning: document.Second, Values: of(7, 510)},
		},
	}
}

func refusals(seconds int, load, ripple func(float64) float64) document.Series {
	s := document.Series{ID: "refusals", Title: "Refused attempts by what they were answered", Unit: "attempts/s", Seconds: clockOf(seconds), Says: "All are 503 ServerBusy at first."}
	for i, code := range []string{"503 ServerBusy", "500 OperationTimedOut", "no answer"} {
		s.Lines = append(s.Lines, document.Line{Name: code, Meaning: document.Throttled, Values: wave(seconds, func(at float64) float64 {
			return max(0, load(at)*ripple(at)-2000) / math.Pow(3, float64(i))
		})})
	}
	return s
}

// drawn are the pictures of stress.
func drawn() map[string]template.HTML {
	return map[string]template.HTML{"steps": picture, "latency": picture}
}
