package drive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results/resultstest"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// TestSessionScripts runs each situation of testdata/session: commands, each
// followed by its golden reply, which is what the session wants and what it has
// recorded. The commands are
//
//	begin INTENDED VERB [WORD …]   an operation; the words are policy=NAME, of a
//	                               formula with commas, codes=STATUS, expects=STATUS,
//	                               pages, rows=N, most=N, top=N, batch=N:VERB, offers=N
//	due [AT]                       it is its turn, first or again; without an
//	                               instant, when it was due or asked to be
//	reply AT STATUS [WORD …]       an outcome; the words are code=CODE, counted=N,
//	                               returned=N, next=ROWKEY
//	stopped AT                     the run ends while it waits
//
// An instant with a sign counts from the one before.
func TestSessionScripts(t *testing.T) {
	resultstest.CheckGoldens(t, "testdata/session/*.txt", func(t *testing.T, text string) string {
		return resultstest.Replay(text, (&sessionPlay{t: t}).do)
	})
}

// sessionPlay is the session of a script.
type sessionPlay struct {
	t       *testing.T
	session Session
	// now is the last instant, next the one that the session asked for.
	now, next clock.Instant
}

func (p *sessionPlay) do(f []string) []string {
	if p.now = p.next; len(f) > 1 {
		p.now = p.instant(f[1])
	}
	switch f[0] {
	case "begin":
		return p.begin(f[2], f[3:])
	case "due":
		return p.effect(Due, nil)
	case "reply":
		return p.effect(Replied, p.outcome(f[2], f[3:]))
	default:
		require.Equal(p.t, "stopped", f[0], "command")
		return p.effect(Stopped, nil)
	}
}

// apply calls the setter of each word with its value.
func (p *sessionPlay) apply(words []string, setters map[string]func(value string)) {
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		require.Contains(p.t, setters, name, "words")
		setters[name](value)
	}
}

// begin begins operation 7 of a stage whose first has the number 500.
func (p *sessionPlay) begin(verb string, words []string) []string {
	of, _ := entity.ParseVerb(verb)
	key := entity.Key{Partition: "hot", Row: "r"}
	w := Work{Kind: 1, Operation: target.Operation{Verb: of, Table: "T"}}
	w.Operation.Change = entity.Change{Verb: of, Key: key}
	w.Operation.Query = target.OnePartition(key.Partition)
	stage := &Stage{First: 500, Chance: clock.NewStream(1, "retry")}
	p.apply(words, map[string]func(string){
		"policy": func(value string) {
			var err error
			stage.Retry, err = backoff.ByName(strings.ReplaceAll(value, ",", " "))
			require.NoError(p.t, err)
		},
		"codes":   func(value string) { stage.Retry = stage.Retry.With(p.number(value)) },
		"expects": func(value string) { w.Expected.NotFound = value == "404" },
		"pages":   func(string) { w.Pages = true },
		"rows":    func(value string) { w.Rows = int64(p.number(value)) },
		"most":    func(value string) { w.MostPages = p.number(value) },
		"top":     func(value string) { w.Operation.Query.Top = p.number(value) },
		"offers":  func(value string) { w.Offers = int64(p.number(value)) },
		"batch": func(value string) {
			number, name, _ := strings.Cut(value, ":")
			change, _ := entity.ParseVerb(name)
			w.Operation.Changes = slices.Repeat([]entity.Change{{Verb: change, Key: key}}, p.number(number))
		},
	})
	stage.Build = func(k uint64, built *Work) {
		assert.EqualValues(p.t, 7, k, "the operation that is built")
		*built = w
	}
	p.session.begin(stage, 7, p.now, 12, false)
	p.next = p.now
	s := p.session.scheduled(p.now, false)
	assert.True(p.t, p.session.firstAttempt(), "a session that has just begun has sent something")
	return []string{fmt.Sprintf("operation %d, kind %d, phase %d: due at %v, offers %d",
		p.session.number, s.Kind, s.Phase, s.Intended, s.Entities)}
}

func (p *sessionPlay) outcome(status string, words []string) *target.Outcome {
	o := target.Outcome{Status: p.number(status)}
	p.apply(words, map[string]func(string){
		"code":     func(value string) { o.Code = entity.Code(value) },
		"counted":  func(value string) { o.Counted = int64(p.number(value)) },
		"returned": func(value string) { o.Returned = int64(p.number(value)) },
		"next": func(value string) {
			o.Next = target.Token{Present: true, NextPartitionKey: "hot", NextRowKey: value}
		},
	})
	return &o
}

// effect passes an event to the session and shows its effect: the records, then what is to be done.
func (p *sessionPlay) effect(event Event, outcome *target.Outcome) []string {
	e := p.session.Step(p.now, event, outcome)
	assert.Truef(p.t, (e.Attempt != nil) == (event == Replied) && (e.Completed != nil) == (e.Action == Done),
		"event %d has the effect %+v; want an attempt after a reply only, an operation at the end only", event, e)
	var lines []string
	if a := e.Attempt; a != nil {
		what := ""
		if a.Retry {
			what = ", a retry,"
		}
		lines = append(lines, fmt.Sprintf("attempt %d%s of operation %d, kind %d, phase %d, in %q: %s, sent %v, done %v, counted %d, returned %d",
			a.Try, what, a.Number, a.Kind, a.Phase, a.PartitionKey,
			strings.TrimRight(fmt.Sprintf("%v %d %s", a.Class, a.Status, a.Code), " "), a.Sent, a.Done, a.Counted, a.Returned))
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
		s.begin(stage, 3, 0, 0, sending)
		assert.Zerof(t, s.completed.Entities, "sent at once: %t: entities that are due", sending)
	}
}
