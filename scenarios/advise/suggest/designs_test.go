package suggest_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/advise/suggest"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

func parsed(t testing.TB, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func proposed(t testing.TB, s *scenarios.Scenario, o suggest.Options) *suggest.Proposal {
	t.Helper()
	p, err := suggest.Designs(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tables are the three with a known answer. Several tests look at what is proposed for
// them, which is most of the work.
var tables = map[string]func() (*scenarios.Scenario, *suggest.Proposal, error){
	"foot-race": once("foot-race"), "hourly-log": once("hourly-log"), "telemetry": once("telemetry"),
}

func once(name string) func() (*scenarios.Scenario, *suggest.Proposal, error) {
	type answer struct {
		s *scenarios.Scenario
		p *suggest.Proposal
	}
	asked := sync.OnceValues(func() (answer, error) {
		text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
		if err != nil {
			return answer{}, err
		}
		s, err := scenarios.Parse(name+".yaml", text)
		if err != nil {
			return answer{}, err
		}
		p, err := suggest.Designs(s, suggest.Options{})
		return answer{s, p}, err
	})
	return func() (*scenarios.Scenario, *suggest.Proposal, error) {
		a, err := asked()
		return a.s, a.p, err
	}
}

func answered(t testing.TB, name string) (*scenarios.Scenario, *suggest.Proposal) {
	t.Helper()
	s, p, err := tables[name]()
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

// The known answer is among the first two. Which one that is, and why, the scenarios say.
func TestKnownAnswers(t *testing.T) {
	begins := func(row, with string) bool { return strings.HasPrefix(row, with) }
	for _, tt := range []struct {
		table, answer string
		is            func(d *scenarios.Design) bool
	}{
		{"foot-race", "the race and its distance, by number and by age in the same partition", func(d *scenarios.Design) bool {
			return slices.Equal(attributes(d.PartitionKey), []string{"race", "distance"}) && begins(d.RowKey, "bib:{bib}") &&
				len(d.Copies) == 1 && d.Copies[0].PartitionKey == d.PartitionKey && d.Copies[0].Table == "" && begins(d.Copies[0].RowKey, "age:{age}")
		}},
		{"hourly-log", "the hour in buckets, the bucket first", func(d *scenarios.Design) bool {
			return slices.Equal(attributes(d.PartitionKey), []string{"message", "hour"}) && begins(d.PartitionKey, "{hash(message,") && len(d.Copies) == 0
		}},
		{"telemetry", "the device, and the latest first", func(d *scenarios.Design) bool {
			return d.PartitionKey == "{device}" && begins(d.RowKey, "{at:inverted}") && len(d.Copies) == 0
		}},
	} {
		t.Run(tt.table, func(t *testing.T) {
			s, p := answered(t, tt.table)
			at := slices.IndexFunc(p.Candidates, func(c suggest.Candidate) bool { return tt.is(&c.Design) })
			if at < 0 || at > 1 {
				t.Errorf("the known answer, %s, is candidate %d; want it among the first two of %+v", tt.answer, at+1, p.Candidates)
			}
			if c := &p.Candidates[max(0, at)]; !c.Holds {
				t.Errorf("%s does not hold its peak: %v", c.Design.Name, c.Why)
			}
			for _, c := range p.Candidates {
				if moving(t, s, &c.Design) {
					t.Errorf("%s is proposed, whose inserts go to one place that moves", c.Design.PartitionKey)
				}
			}
		})
	}
}

func attributes(template string) []string {
	parsed, err := keys.ParseTemplate(template)
	if err != nil {
		return nil
	}
	return parsed.Attributes()
}

// What is said of a candidate is what a run of it then does, where nothing is refused:
// requests and counted entities of each query, and what the hottest partition is offered.
func TestFiguresAreThoseOfARun(t *testing.T) {
	for name := range tables {
		t.Run(name, func(t *testing.T) {
			_, p := answered(t, name)
			s, err := p.Scenario()
			if err != nil {
				t.Fatal(err)
			}
			record := run(t, s)
			c, told := &p.Candidates[0], 0
			for i := range record.Phases {
				for j, kind := range record.Manifest.Operations {
					k := &record.Phases[i].Kinds[j]
					at := slices.IndexFunc(c.Reads, func(r suggest.ReadCost) bool { return r.Operation == kind.Name })
					if at < 0 || k.Operations == 0 || !record.Phases[i].Reported {
						continue
					}
					told++
					r, n := &c.Reads[at], float64(k.Operations)
					if requests := float64(k.Attempts-k.Retries) / n; math.Abs(r.Requests-requests) > 0.25*requests {
						t.Errorf("%s takes %.2f requests by the proposal and %.2f by the run; want the same within a quarter", kind.Name, r.Requests, requests)
					}
					if counted := float64(k.Counted) / n; math.Abs(r.Counted-counted) > 0.1*counted+0.5 {
						t.Errorf("%s counts %.2f entities by the proposal and %.2f by the run; want the same within a tenth", kind.Name, r.Counted, counted)
					}
				}
			}
			if told != len(c.Reads) {
				t.Errorf("the run has %d of the %d queries", told, len(c.Reads))
			}
		})
	}
}

// run plays a scenario on the virtual clock against a target without limits.
func run(t testing.TB, s *scenarios.Scenario) *results.Record {
	t.Helper()
	m, err := model.New(model.Documented)
	if err != nil {
		t.Fatal(err)
	}
	m.PartitionTarget, m.AccountTarget = 0, 0
	service := engine.New(engine.Options{Model: m, Accounts: []string{"one"}, Seed: s.Seed})
	c, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "suggested"})
	if err != nil {
		t.Fatal(err)
	}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: c.Kinds()})
	if err != nil {
		t.Fatal(err)
	}
	runner := &drive.Virtual{Target: target.NewInProcess(service, "one", nil)}
	if err := c.Run(context.Background(), runner, &drive.Ledger{Recorder: recorder}); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Finish(runner.Now().Offset(), results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// One bucket less would not hold the peak with the headroom.
func TestBucketsAreTheFewest(t *testing.T) {
	s, p := answered(t, "hourly-log")
	c := &p.Candidates[0]
	hottest := func(buckets int) float64 {
		other := *s
		other.Designs, other.Use = nil, ""
		other.Design = c.Design
		other.Design.PartitionKey = strings.Replace(c.Design.PartitionKey, "{hash(message,4)", "{hash(message,"+string(rune('0'+buckets))+")", 1)
		d, err := advise.InUse(advise.Options{Scenario: &other})
		if err != nil {
			t.Fatal(err)
		}
		return d.Loads[0].Hottest.Value
	}
	if c.Buckets != 4 {
		t.Fatalf("%s has %d buckets; want 4", c.Design.PartitionKey, c.Buckets)
	}
	// The target is 500, of which a fifth is to be left free.
	if with, without := hottest(4), hottest(3); with > 400 || without <= 400 || math.Abs(with-c.Hottest) > 1e-9 {
		t.Errorf("the hottest partition counts %.0f in 4 buckets, %.0f in 3, and %.0f by the proposal; want at most 400 in 4, and more in 3", with, without, c.Hottest)
	}
	requests := slices.IndexFunc(c.Reads, func(r suggest.ReadCost) bool { return r.Operation == "of-a-source" })
	if r := c.Reads[requests]; r.Requests != 4 || r.Class != "row range scan" {
		t.Errorf("of-a-source is a %s of %v requests; want a row range of each bucket", r.Class, r.Requests)
	}
}

// In a run in which hours are over in an instant no partition is seen to bear much. Where
// the keys are used an hour is an hour, and its buckets have to bear what is written.
func TestBucketsHoldWhereTimeGoesFast(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "hourly-log.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	fast := parsed(t, strings.NewReplacer("speed: 600", "speed: 36000", "for: 8s", "for: 2s").Replace(string(text)))
	p := proposed(t, fast, suggest.Options{})
	for _, c := range p.Candidates {
		if strings.HasSuffix(c.Design.PartitionKey, "_{hour}") {
			if c.Buckets != 4 || c.Hottest < 1250.0/4*0.99 || c.Hottest > 400 {
				t.Errorf("%s has %d buckets, the hottest of %.0f entities/s; want 4 of 313 as where an hour lasts", c.Design.PartitionKey, c.Buckets, c.Hottest)
			}
			return
		}
	}
	t.Errorf("no hour in buckets is proposed among %+v", p.Candidates)
}

// One screen names each design with its keys, and the sections have all the reasons.
func TestDocumentNamesEachDesign(t *testing.T) {
	for _, row := range []struct {
		name string
		rows [][]string
		says []string
	}{
		{"foot-race", [][]string{{"by-race-distance-copied", "{race}_{distance}", "bib:{bib}", "48", "1", "1", "point, row range scan"}},
			[]string{"RowKey bib:{bib}: it begins with {bib}, which number knows beside the PartitionKey.",
				"copy by-age: {race}_{distance} / age:{age}_{bib}", "An insert counts 2 entities in 1 request (derived).",
				"{bib} (by-bib): append-only: it begins with bib"}},
		{"hourly-log", [][]string{{"by-hour-in-4", "{hash(message,4):01d}_{hour}", "{source}_{message}", "309", "0", "4", "partition scan, row range scan"}},
			[]string{"4 buckets by {message}: the fewest that leave 20.0 % of a partition's target free; hourly takes 12 requests, of-a-source takes 4 requests."}},
		{"telemetry", [][]string{{"by-device", "{device}", "{at:inverted}_{report}", "1.92", "0", "1", "row range scan, partition scan"}},
			[]string{"a span is a range of rows, and the latest come first."}},
	} {
		_, p := answered(t, row.name)
		d := p.Document()
		table := d.Screen[0].(document.Table)
		for i, want := range row.rows {
			var got []string
			for _, cell := range table.Rows[i] {
				got = append(got, cell.Text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: row %d is %q; want %q", row.name, i, got, want)
			}
		}
		var all []string
		for _, s := range d.Sections {
			for _, block := range s.Blocks {
				switch b := block.(type) {
				case document.Paragraph:
					all = append(all, b.Text)
				case document.List:
					all = append(all, b.Items...)
				}
			}
		}
		whole := strings.Join(all, "\n")
		for _, c := range p.Candidates {
			row.says = append(row.says, c.Why...)
		}
		for _, want := range row.says {
			if !strings.Contains(whole, want) {
				t.Errorf("%s: the document does not say %q:\n%s", row.name, want, whole)
			}
		}
		if len(table.Rows) != len(p.Candidates) || len(d.Sections) != len(p.Candidates)+1 {
			t.Errorf("%s: %d rows and %d sections for %d candidates", row.name, len(table.Rows), len(d.Sections), len(p.Candidates))
		}
	}
}
