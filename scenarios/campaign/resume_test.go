package campaign_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/azure"
)

// reader is a target that takes down what queries return and where they end.
type reader struct {
	target.Target
	immediate target.Immediate

	mu   sync.Mutex
	keys []entity.Key
	next target.Token
	// properties is how many the last entity read had.
	properties int
}

func (r *reader) Do(ctx context.Context, op *target.Operation) target.Outcome {
	outcome := r.Target.Do(ctx, op)
	r.read(op, &outcome)
	return outcome
}

func (r *reader) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	outcome, done := r.immediate.Submit(now, op)
	r.read(op, &outcome)
	return outcome, done
}

func (r *reader) read(op *target.Operation, o *target.Outcome) {
	if op.Verb != entity.Query {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, row := range o.Rows {
		r.keys = append(r.keys, row.Key)
		list, _ := row.Entity.Unpack(nil)
		r.properties = len(list)
	}
	r.next = o.Next
}

// saved returns the text of the token at which the reading ended.
func (r *reader) saved(t *testing.T) string {
	t.Helper()
	text, err := r.next.MarshalText()
	if err != nil || !r.next.Present {
		t.Fatalf("the half that was read ended with the token %+v, %v; want one", r.next, err)
	}
	return string(text)
}

// eachOnce checks that two readings together met the rows 0 to n-1 of a partition,
// each once and in order.
func eachOnce(t *testing.T, partition string, n int, first, second []entity.Key) {
	t.Helper()
	if len(first) == 0 || len(second) == 0 {
		t.Errorf("%d entities were read before the token and %d after it; want some each", len(first), len(second))
	}
	got := slices.Concat(first, second)
	if len(got) != n {
		t.Errorf("%d entities were read; want %d", len(got), n)
	}
	for i := range got {
		if got[i].Partition != partition || i > 0 && got[i-1].Compare(got[i]) >= 0 {
			t.Errorf("entity %d read is %v; want one of %q after the one before", i, got[i], partition)
			return
		}
	}
}

// served opens an engine of a hundred rows, behind a socket or not, and returns
// what opens a client of it.
func served(t *testing.T, rows int, overHTTP bool) func() target.Target {
	t.Helper()
	unlimited, err := model.New(model.Off)
	if err != nil {
		t.Fatal(err)
	}
	clk := clock.NewReal()
	e := engine.New(engine.Options{Model: unlimited, Accounts: []string{"races"}, Calendar: clk})
	fill := target.NewInProcess(e, "races", nil)
	fill.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: "Races"})
	for n := range rows {
		c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "Zoë's race", Row: fmt.Sprintf("%03d", n)}}
		fill.Submit(0, &target.Operation{Verb: entity.Insert, Table: "Races", Change: c})
	}
	if !overHTTP {
		return func() target.Target { return target.NewInProcess(e, "races", clock.NewReal()) }
	}
	secret, err := wire.NewSecret("c2VjcmV0c2VjcmV0c2VjcmV0")
	if err != nil {
		t.Fatal(err)
	}
	handler, err := rest.New(rest.Options{Engine: e, Clock: clk, Calendar: clk, Accounts: []rest.Account{{Name: "races", Secret: secret}}})
	if err != nil {
		t.Fatal(err)
	}
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: handler})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	endpoint, err := azure.ParseURL(server.URL()+"/races", "", secret)
	if err != nil {
		t.Fatal(err)
	}
	return func() target.Target {
		client, err := azure.New(azure.Options{Endpoint: endpoint, Connections: 1, Clock: clk, Calendar: clk, RunID: "test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return client
	}
}

// A partition is read by halves, in two runs that share nothing but a text.
func TestATokenIsResumedInAnotherRun(t *testing.T) {
	const rows, partition = 100, "Zoë's race"
	for _, row := range []struct {
		name     string
		overHTTP bool
		filter   string
		returned int
	}{
		{"in process", false, "", rows},
		{"over HTTP", true, "", rows},
		{"in process, through a filter", false, "PartitionKey eq 'Zoë''s race' and not (RowKey eq '007')", rows - 1},
		{"over HTTP, through a filter", true, "PartitionKey eq 'Zoë''s race' and not (RowKey eq '007')", rows - 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			open := served(t, rows, row.overHTTP)
			half := func(token string, pages int) *reader {
				query := target.OnePartition(partition)
				if row.filter != "" {
					var err error
					if query, err = target.Filtered(row.filter); err != nil {
						t.Fatal(err)
					}
				}
				query.Top = 15
				if err := query.Token.UnmarshalText([]byte(token)); err != nil {
					t.Fatal(err)
				}
				stage := closedStage(backoff.Policy{}, 1, 1, time.Minute)
				stage.Build = func(_ uint64, w *drive.Work) {
					w.Pages, w.MostPages = true, pages
					w.Operation = target.Operation{Verb: entity.Query, Table: "Races", Query: query}
				}
				r := &reader{Target: open()}
				record, _, err := outing(t, t.Context(), &drive.Live{Clock: clock.NewReal(), Target: r, Workers: 1}, nil, stage)
				if err != nil {
					t.Fatal(err)
				}
				if sum := record.Total(results.Everything); sum.Succeeded != 1 {
					t.Errorf("%d operations succeeded, %d attempts failed; want the one", sum.Succeeded, sum.Failed)
				}
				return r
			}
			first := half("", 3)
			if got := len(first.keys); got != 45 {
				t.Errorf("three pages of 15 hold %d entities; want 45", got)
			}
			second := half(first.saved(t), 0)
			if second.next.Present {
				t.Errorf("the second half ended with the token %+v; want none", second.next)
			}
			eachOnce(t, partition, row.returned, first.keys, second.keys)
		})
	}
}

// The same by a scenario's operation: pages in the one run, from in the other.
func TestAScenarioResumesFromAToken(t *testing.T) {
	const scan = "{name: page, verb: query, class: partition-scan, top: 20, "
	settings := func(rest string) *scenarios.Scenario {
		return small(t, "phases.load.entities=1200", "phases.peak.rates=[1]", "phases.peak.each=1s", "phases.peak.hold=false",
			"model.profile=off", "phases.peak.operations=["+scan+rest+"}]")
	}
	first := settings("pages: 3")
	_, members, _ := loadedInto(t, first)
	w := newWorld(t, first, nil)
	runner := &drive.Virtual{}
	run := func(s *scenarios.Scenario, o campaign.Options) *reader {
		r := &reader{immediate: w.target}
		runner.Target, w.folder = r, new(results.Memory)
		o.Scenario, o.Table = s, "stress"
		if _, err := w.run(t, context.Background(), runner, o); err != nil {
			t.Fatal(err)
		}
		// The count reads all partitions first.
		r.keys = r.keys[s.Loaded(len(s.Phases)):]
		return r
	}
	before := run(first, campaign.Options{Keep: true})
	after := run(settings("from: "+before.saved(t)), campaign.Options{Reuse: true})
	eachOnce(t, hot, int(members[hot]), before.keys, after.keys)
	if len(before.keys) != 60 {
		t.Errorf("three pages of 20 hold %d entities; want 60", len(before.keys))
	}
}

// What a scenario selects is what comes back.
func TestAScenarioProjects(t *testing.T) {
	for operation, want := range map[string]int{"": 10, ", select: [Age, Name]": 2, ", select: [RowKey]": 0} {
		s := small(t, "phases.load.entities=300", "phases.peak.rates=[1]", "phases.peak.each=1s", "phases.peak.hold=false",
			"model.profile=off", "phases.peak.operations=[{name: page, verb: query, class: point"+operation+"}]")
		w := newWorld(t, s, nil)
		r := &reader{immediate: w.target}
		if _, err := w.run(t, context.Background(), &drive.Virtual{Target: r}, campaign.Options{Scenario: s, Table: "stress"}); err != nil {
			t.Fatal(err)
		}
		if r.properties != want || len(r.keys) != 301 {
			t.Errorf("a point query%s returned %d properties, %d entities with those counted; want %d, 301", operation, r.properties, len(r.keys), want)
		}
	}
}

// A query that begins at a token is due to count what is left, and counts it; one whose
// token only its service can read is taken for one of the whole.
func TestOffersOfAResumedQuery(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name string
		at   target.Token
		want int64
	}{
		{"from the beginning", target.Token{}, 300},
		{"from the middle", target.Token{Present: true, NextPartitionKey: "one", NextRowKey: "1150"}, 150},
		{"from the last entity", target.Token{Present: true, NextPartitionKey: "one", NextRowKey: "1299"}, 1},
		{"from a token that no key follows", target.Token{Present: true, NextPartitionKey: "~", NextRowKey: ""}, 300},
	} {
		t.Run(row.name, func(t *testing.T) {
			token, err := row.at.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			from := ""
			if row.at.Present {
				from = ", from: " + string(token)
			}
			s, err := scenarios.Parse("resume.yaml", fmt.Appendf(nil, `name: resume
attributes: {id: {sequence: 1000}}
entity: {size: 200}
design: {partition_key: one, row_key: "{id}"}
phases:
  - {name: load, load: {entities: 300, lanes: 1}}
  - name: read
    traffic:
      partitions: [one]
      arrivals: {constant: 1}
      for: 3s
      operations: [{verb: query, class: partition-scan%s}]
`, from))
			if err != nil {
				t.Fatal(err)
			}
			r := carriedOut(t, s, false, nil)
			for i, kind := range r.record.Manifest.Operations {
				k := &r.record.Phases[len(r.record.Phases)-2].Kinds[i]
				if kind.Name == "query" && k.Offered != row.want*k.Operations {
					t.Errorf("%d queries are due to count %d; want %d each", k.Operations, k.Offered, row.want)
				}
				if kind.Name == "query" && row.at.NextPartitionKey != "~" && k.Counted != k.Offered {
					t.Errorf("they counted %d of %d; want all", k.Counted, k.Offered)
				}
			}
		})
	}
}
