package drive

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

var rewrite = flag.Bool("rewrite", false, "write the golden replies of testdata anew")

// TestSessionScripts runs each situation of testdata/session: commands, each
// followed by its golden reply, which is what the session wants and what it has
// recorded. The commands are
//
//	begin INTENDED VERB [WORD …]   an operation; the words are policy=NAME,
//	                               codes=STATUS, expects=STATUS, pages, rows=N,
//	                               most=N, top=N, batch=N, change=VERB, offers=N
//	due [AT]                       it is its turn, first or again; without an
//	                               instant, when it was due or asked to be
//	reply AT STATUS [WORD …]       an outcome; the words are code=CODE, counted=N,
//	                               returned=N, next=ROWKEY
//	stopped AT                     the run ends while it waits
//
// An instant with a sign counts from the one before.
func TestSessionScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/session/*.txt")
	require.Truef(t, err == nil && len(files) != 0, "no scripts: %v", err)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			golden, err := os.ReadFile(file)
			require.NoError(t, err)
			got := playSession(t, golden)
			if *rewrite {
				require.NoError(t, os.WriteFile(file, got, 0o644))
				return
			}
			assert.Truef(t, bytes.Equal(got, golden), "playSession(%s) =\n%s\nwant\n%s", file, got, golden)
		})
	}
}

// playSession copies a script, with the replies ("  = …") made anew.
func playSession(t *testing.T, script []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	p := &sessionPlay{t: t}
	lines := bufio.NewScanner(bytes.NewReader(script))
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "  =") {
			continue
		}
		fmt.Fprintln(&out, line)
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(line, "#") {
			for _, reply := range p.do(fields) {
				fmt.Fprintln(&out, "  =", reply)
			}
		}
	}
	return out.Bytes()
}

// sessionPlay is the session of a script.
type sessionPlay struct {
	t       *testing.T
	session Session
	// now is the last instant, next the one that the session asked for.
	now, next clock.Instant
}

func (p *sessionPlay) do(f []string) []string {
	if len(f) > 1 {
		p.now = p.instant(f[1])
	} else {
		p.now = p.next
	}
	switch f[0] {
	case "begin":
		return p.Begin(p.now, f[2], f[3:])
	case "due":
		return p.effect(Due, p.session.Step(p.now, Due, nil))
	case "reply":
		outcome := p.outcome(f[2], f[3:])
		return p.effect(Replied, p.session.Step(p.now, Replied, &outcome))
	case "stopped":
		return p.effect(Stopped, p.session.Step(p.now, Stopped, nil))
	default:
		p.t.Fatalf("unknown command %q", f[0])
		return nil
	}
}

// Begin begins operation 7 of a stage whose first has the number 500.
func (p *sessionPlay) Begin(intended clock.Instant, verb string, words []string) []string {
	verbs := map[string]entity.Verb{"get": entity.Get, "insert": entity.Insert,
		"delete": entity.Delete, "batch": entity.Batch, "query": entity.Query}
	key := entity.Key{Partition: "hot", Row: "r"}
	w := Work{Kind: 1, Operation: target.Operation{Verb: verbs[verb], Table: "T"}}
	w.Operation.Change = entity.Change{Verb: verbs[verb], Key: key}
	w.Operation.Query = target.OnePartition(key.Partition)
	stage := &Stage{First: 500, Chance: clock.NewStream(1, "retry")}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "policy":
			stage.Retry = p.policy(value)
		case "codes":
			stage.Retry = stage.Retry.With(p.number(value))
		case "expects":
			w.Expected.NotFound = value == "404"
		case "pages":
			w.Pages = true
		case "rows":
			w.Rows = int64(p.number(value))
		case "top":
			w.Operation.Query.Top = p.number(value)
		case "batch":
			w.Operation.Changes = make([]entity.Change, p.number(value))
			for i := range w.Operation.Changes {
				w.Operation.Changes[i].Key = key
			}
		case "change":
			for i := range w.Operation.Changes {
				w.Operation.Changes[i].Verb = verbs[value]
			}
		case "most":
			w.MostPages = p.number(value)
		case "offers":
			w.Offers = int64(p.number(value))
		default:
			p.t.Fatalf("unknown word %q", word)
		}
	}
	stage.Build = func(k uint64, built *Work) {
		assert.EqualValuesf(p.t, 7, k, "Build(%d); want the operation that was begun, 7", k)
		*built = w
	}
	p.session.begin(stage, 7, intended, 12, false)
	p.next = intended
	s := p.session.scheduled(intended, false)
	assert.True(p.t, p.session.firstAttempt(), "a session that has just begun has sent something")
	return []string{fmt.Sprintf("operation %d, kind %d, phase %d: due at %v, offers %d",
		p.session.number, s.Kind, s.Phase, s.Intended, s.Entities)}
}

func (p *sessionPlay) policy(name string) backoff.Policy {
	if name == "patient" {
		return backoff.Policy{Name: name, Retries: backoff.MaxRetries,
			Delay: backoff.Exponential{Base: 100 * time.Millisecond, Min: 50 * time.Millisecond, Max: 2 * time.Second}}
	}
	policy, err := backoff.ByName(name)
	require.NoError(p.t, err)
	return policy
}

func (p *sessionPlay) outcome(status string, words []string) target.Outcome {
	o := target.Outcome{Status: p.number(status)}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "code":
			o.Code = entity.Code(value)
		case "counted":
			o.Counted = int64(p.number(value))
		case "returned":
			o.Returned = int64(p.number(value))
		case "next":
			o.Next = target.Token{Present: true, NextPartitionKey: "hot", NextRowKey: value}
		default:
			p.t.Fatalf("unknown word %q", word)
		}
	}
	return o
}

// effect shows what came of an event: the records, then what is to be done.
func (p *sessionPlay) effect(event Event, e Effect) []string {
	assert.Truef(p.t, (e.Attempt != nil) == (event == Replied) && (e.Completed != nil) == (e.Action == Done),
		"event %d has the effect %+v; want an attempt after a reply only, an operation at the end only", event, e)
	var lines []string
	if a := e.Attempt; a != nil {
		what := ""
		if a.Retry {
			what = ", a retry,"
		}
		lines = append(lines, fmt.Sprintf("attempt %d%s of operation %d, kind %d, phase %d, in %q: %s, sent %v, done %v, counted %d, returned %d",
			a.Try, what, a.Number, a.Kind, a.Phase, a.PartitionKey, described(a), a.Sent, a.Done, a.Counted, a.Returned))
	}
	if c := e.Completed; c != nil {
		line := fmt.Sprintf("operation %d, kind %d, phase %d: %v, attempts %d, response %v, served %d of %d",
			c.Number, c.Kind, c.Phase, c.Class, c.Attempts, c.Done-c.Intended, c.Served, c.Entities)
		if c.Cut {
			line += ", cut"
		}
		lines = append(lines, line)
	}
	switch e.Action {
	case Send:
		lines = append(lines, p.request())
	case WaitUntil:
		p.next = e.Until
		lines = append(lines, fmt.Sprintf("wait until %v, for %v", e.Until.Offset(), e.Waited))
	case Done:
		lines = append(lines, "done")
	}
	return lines
}

func described(a *results.Attempt) string {
	return strings.TrimRight(fmt.Sprintf("%v %d %s", a.Class, a.Status, a.Code), " ")
}

// request shows the attempt that is to be sent.
func (p *sessionPlay) request() string {
	op := p.session.Operation()
	line := fmt.Sprintf("send attempt %d", op.Attempt)
	if op.Verb == entity.Query {
		line += fmt.Sprintf(", top %d", op.Query.Top)
		if op.Query.Token.Present {
			line += fmt.Sprintf(", from %q", op.Query.Token.NextRowKey)
		}
	}
	return line
}

func (p *sessionPlay) instant(text string) clock.Instant {
	d, err := time.ParseDuration(text)
	require.NoError(p.t, err)
	if strings.HasPrefix(text, "+") {
		return p.now.Add(d)
	}
	return clock.Instant(d)
}

func (p *sessionPlay) number(text string) int {
	n, err := strconv.Atoi(text)
	require.NoError(p.t, err)
	return n
}

// What goes beside the table alone is due to count nothing, whether it is sent at once
// or later.
func TestWorkflowBesideTheTableIsDueNothing(t *testing.T) {
	beside := workflow.NewScript(func(*workflow.Script) workflow.Request {
		return workflow.Request{Operation: target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "q"}}}
	})
	outlined := Work{Workflow: beside, Operation: target.Operation{Beside: &target.Beside{}}}
	stage := &Stage{Build: func(_ uint64, w *Work) { *w = outlined }, Outline: func(uint64) Work { return outlined }}
	for _, sending := range []bool{false, true} {
		var s Session
		if s.begin(stage, 3, 0, 0, sending); s.completed.Entities != 0 {
			t.Errorf("sent at once: %t: the operation is due to count %d entities; want none", sending, s.completed.Entities)
		}
	}
}
