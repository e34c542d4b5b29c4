package workflow_test

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/scenarios/workflow"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// world is a table service without limits, with a queue and a container beside it, on
// which workflows are carried out without a session.
type world struct {
	t      *testing.T
	target target.Immediate
	now    clock.Instant
	number uint64
	// requests counts those that were carried out, by the verb that reports have.
	requests map[string]int
	// page, where set, is how many blobs a reply lists at most, as that of a service may.
	page int
}

// newWorld returns one with the tables "Test" and those of which Test's name and each of
// these is the name.
func newWorld(t *testing.T, tables ...string) *world {
	t.Helper()
	m, err := model.New(model.Off)
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"a"}, Calendar: clock.Epoch(time.Unix(1_400_000_000, 0))})
	w := &world{t: t, target: queueblob.NewVirtual(target.NewInProcess(e, "a", nil), queueblob.NewMemory()), requests: map[string]int{}}
	for _, name := range append([]string{""}, tables...) {
		if o := w.do(&target.Operation{Verb: entity.CreateTable, Table: "Test" + name}); o.Status >= 300 {
			t.Fatalf("creating table Test%s: %d %s", name, o.Status, o.Code)
		}
	}
	return w
}

// do carries a request out, a second after the one before.
func (w *world) do(op *target.Operation) target.Outcome {
	w.now = w.now.Add(time.Second)
	w.number++
	op.Number = w.number
	name := op.Verb.String()
	if op.Beside != nil {
		name = op.Beside.Verb.String()
	}
	w.requests[name]++
	if w.page > 0 && op.Beside != nil && op.Beside.Verb == target.ListBlobs {
		return w.listed(*op.Beside)
	}
	o, _ := w.target.Submit(w.now, op)
	return o
}

// listed answers a list by a page of it, whose marker is the name that it ends with.
func (w *world) listed(b target.Beside) target.Outcome {
	b.After, b.Marker = max(b.After, b.Marker), ""
	o, _ := w.target.Submit(w.now, &target.Operation{Beside: &b})
	if len(o.Found) > w.page {
		o.Found = o.Found[:w.page]
		o.Marker = o.Found[w.page-1].Name
	}
	return o
}

// setting returns that of the world: places by what they add to the table's name, and
// the entities that were loaded.
func (w *world) setting(places map[string]string, loaded ...workflow.Subject) *workflow.Setting {
	return &workflow.Setting{Table: "Test", TableOf: func(place string) string { return "Test" + places[place] },
		StoreOf: func(name string) string { return "test-" + name }, Loaded: uint64(len(loaded)),
		Member: func(n uint64) workflow.Subject { return loaded[n] }}
}

// thing is the entity that an operation of a test is about.
type thing struct {
	number     uint64
	keys       map[string]entity.Key
	values     map[string]string
	properties []entity.Property
}

var _ workflow.Subject = thing{}

func (s thing) Key(place string) entity.Key   { return s.keys[place] }
func (s thing) Properties() []entity.Property { return append([]entity.Property(nil), s.properties...) }
func (s thing) Value(attribute string) string { return s.values[attribute] }
func (s thing) Number() uint64                { return s.number }

// perform returns the operation of a kind about a thing; a kind that works on what is
// there may be given a fresh one, too.
func perform(t *testing.T, s *workflow.Setting, kind string, k uint64, given map[string]string, about thing, fresh ...thing) workflow.Workflow {
	t.Helper()
	one := workflow.Find(kind)
	if one == nil {
		t.Fatalf("there is no workflow %q", kind)
	}
	call := &workflow.Call{Setting: s, Arguments: one.Settle(maps.Clone(given)), K: k, Subject: about, Fresh: about,
		ID: workflow.WriteID{Run: "r", Number: k}, Chance: clock.NewStream(1, "test").At(k)}
	if len(fresh) > 0 {
		call.Fresh = fresh[0]
	}
	return one.New(call)
}

// tallied returns what a workflow has counted.
func counted(p workflow.Workflow) map[string]int64 {
	counts := map[string]int64{}
	if told, counting := p.(workflow.Counted); counting {
		told.Counter(func(name string, count int64) { counts[name] += count })
	}
	return counts
}

// course is a workflow under way.
type course struct {
	workflow.Workflow
	request target.Operation
	silent  bool
	lost    int
	ended   bool
	// ok is how it ended.
	ok bool
}

func begun(p workflow.Workflow) *course { return &course{Workflow: p, request: p.Begin()} }

// tell takes the course on by one outcome, as a session does that retries what nobody
// answered.
func (c *course) tell(w *world, o target.Outcome) {
	const mostLost = 30
	c.silent = c.silent || o.Unheard()
	sent := c.request
	move, next := c.Next(workflow.Attempt{Sent: &sent, Outcome: &o, Silent: c.silent})
	switch {
	case o.Status == 0 && move != workflow.Fail:
		c.lost++
		c.ended = c.lost == mostLost
	case move == workflow.Proceed:
		c.request, c.silent = next, false
		if p, rests := c.Workflow.(workflow.Pausing); rests {
			w.now = w.now.Add(p.Pause())
		}
	default:
		c.ended, c.ok = true, move == workflow.Succeed || move == workflow.Settle && o.Status < 300
	}
}

// run carries a workflow out alone and reports whether it ended well.
func (w *world) run(p workflow.Workflow) bool {
	w.t.Helper()
	for c := begun(p); ; {
		request := c.request
		if c.tell(w, w.do(&request)); c.ended {
			return c.ok
		}
	}
}

// race carries workflows out, so many at a time, in an order that chance decides; of
// 100 replies so many are lost, half of them after the request was carried out. It
// returns which ended well.
func (w *world) race(seed uint64, lanes, lost int, all []workflow.Workflow) []bool {
	w.t.Helper()
	rng := rand.New(rand.NewPCG(seed, 8))
	ended := make([]bool, len(all))
	under, next := map[int]*course{}, 0
	var order []int
	for next < len(all) || len(order) > 0 {
		for len(order) < lanes && next < len(all) {
			under[next] = begun(all[next])
			order = append(order, next)
			next++
		}
		at := rng.IntN(len(order))
		c := under[order[at]]
		request := c.request
		switch chance := rng.IntN(200); {
		case chance < lost:
			w.do(&request)
			c.tell(w, target.Outcome{})
		case chance < 2*lost:
			c.tell(w, target.Outcome{})
		default:
			c.tell(w, w.do(&request))
		}
		if c.ended {
			ended[order[at]] = c.ok
			order = append(order[:at], order[at+1:]...)
		}
	}
	return ended
}

// holds runs a check and complains unless what must hold does, of at least so many.
func (w *world) holds(check workflow.Check, least int64) {
	w.t.Helper()
	for _, one := range checks(check) {
		if !w.run(one) {
			w.t.Fatalf("the check that %s did not come to its end", check.Name())
		}
	}
	if found := check.Findings(); found.Faults > 0 || found.Looked < least {
		w.t.Errorf("%s: %d faults in %d looked at, %q; want none, in %d at least", check.Name(), found.Faults, found.Looked, found.Examples, least)
	}
}
