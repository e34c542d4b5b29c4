package workflow_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/scenarios/workflow"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// world is a table service without limits, with a queue and a container beside it, on
// which workflows are carried out without a session, and the setting of a run.
type world struct {
	*workflow.Setting
	t      *testing.T
	target target.Immediate
	now    clock.Instant
	number uint64
	// requests counts those that were carried out, by the verb that reports have.
	requests map[string]int
	// page, where set, is how many blobs a reply lists at most, as that of a service may.
	page int
	// seen, where set, is told of each request that was carried out.
	seen func(op *target.Operation, o target.Outcome)
	// late has half of the requests of a race that are lost arrive later, and errands give up soon.
	late bool
}

// args are the parameters of a workflow.
type args = map[string]string

// newWorld returns one with the table "Test", and with places, each as place=table: the table
// is called so behind Test, and is Test itself where it is empty.
func newWorld(t *testing.T, places ...string) *world { return newModelWorld(t, "", places...) }

// newModelWorld is newWorld with the name of a deleted table kept back, unless that is empty.
func newModelWorld(t *testing.T, delay string, places ...string) *world {
	t.Helper()
	m, err := model.New(model.Off)
	if err == nil && delay != "" {
		err = m.Set("name_delay", delay)
	}
	require.NoError(t, err)
	e := engine.New(engine.Options{Model: m, Accounts: []string{"a"}, Calendar: clock.Epoch(time.Unix(1_400_000_000, 0))})
	w := &world{t: t, target: queueblob.NewVirtual(target.NewInProcess(e, "a", nil), queueblob.NewMemory()), requests: map[string]int{}}
	tables := map[string]string{"": "Test"}
	for _, one := range places {
		place, table, _ := strings.Cut(one, "=")
		tables[place] = "Test" + table
	}
	for _, table := range tables {
		w.do(&target.Operation{Verb: entity.CreateTable, Table: table})
	}
	clear(w.requests)
	table := func(place string) string { return cmp.Or(tables[place], "Test") }
	w.Setting = &workflow.Setting{Table: "Test", TableOf: table, StoreOf: func(name string) string { return "test-" + name }}
	return w
}

// load writes entities and has them be what was loaded.
func (w *world) load(list ...thing) {
	w.t.Helper()
	w.Loaded, w.Member = uint64(len(list)), func(n uint64) workflow.Subject { return list[n] }
	for _, one := range list {
		w.put("Test", one.keys[""], one.properties...)
	}
	clear(w.requests)
}

// change carries out a change of one entity, or reads it.
func (w *world) change(verb entity.Verb, table string, key entity.Key, properties ...entity.Property) target.Outcome {
	w.t.Helper()
	c := entity.Change{Verb: verb, Key: key, Properties: properties}
	if verb == entity.Delete || verb == entity.Merge || verb == entity.Replace {
		c.Match = entity.MatchAny
	}
	o := w.do(&target.Operation{Verb: verb, Table: table, Change: c})
	require.Truef(w.t, o.Status < 300 || verb == entity.Get || verb == entity.Delete,
		"%v of %v in %s: %d %s", verb, key, table, o.Status, o.Code)
	return o
}

// put writes an entity over whatever is there.
func (w *world) put(table string, key entity.Key, properties ...entity.Property) {
	w.t.Helper()
	w.change(entity.InsertOrReplace, table, key, properties...)
}

// get returns an entity, and whether it is there.
func (w *world) get(table string, key entity.Key) (entity.Packed, bool) {
	w.t.Helper()
	o := w.change(entity.Get, table, key)
	return o.Entity, o.Status == 200
}

// do carries a request out, a second after the one before.
func (w *world) do(op *target.Operation) target.Outcome {
	w.now = w.now.Add(time.Second)
	w.number++
	op.Number = w.number
	w.requests[requestName(op)]++
	if w.page > 0 && op.Beside != nil && op.Beside.Verb == target.ListBlobs {
		return w.listed(*op.Beside)
	}
	o, _ := w.target.Submit(w.now, op)
	if w.seen != nil {
		w.seen(op, o)
	}
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

// op returns operation k of a kind about a thing, with those of the parameters that the kind
// has; a kind that works on what is there may be given a fresh one, too.
func (w *world) op(kind string, k int, given args, about thing, fresh ...thing) *workflow.Procedure {
	w.t.Helper()
	one := workflow.Find(kind)
	require.NotNilf(w.t, one, "there is no workflow %q", kind)
	call := &workflow.Call{Setting: w.Setting, Arguments: settled(one, given), K: uint64(k), Subject: about, Fresh: about,
		ID: workflow.WriteID{Run: "r", Number: uint64(k)}, Chance: clock.NewStream(1, "test").Draw(uint64(k))}
	if len(fresh) > 0 {
		call.Fresh = fresh[0]
	}
	return one.New(call)
}

func settled(kind *workflow.Kind, given args) workflow.Arguments {
	taken := args{}
	for name, value := range given {
		if kind.Parameter(name) != nil {
			taken[name] = value
		}
	}
	return kind.WithDefaults(taken)
}

// several returns so many workflows, made by their numbers.
func several(count int, made func(k int) *workflow.Procedure) (all []*workflow.Procedure) {
	for k := range count {
		all = append(all, made(k))
	}
	return all
}

// counted returns what a workflow has counted.
func counted(p *workflow.Procedure) map[string]int64 {
	counts := map[string]int64{}
	p.Counter(func(name string, count int64) { counts[name] += count })
	return counts
}

// total is what workflows have counted under a name.
func total(all []*workflow.Procedure, name string) (sum int64) {
	for _, p := range all {
		sum += counted(p)[name]
	}
	return sum
}

// requestName returns the verb of a request, as reports have it.
func requestName(op *target.Operation) string {
	if op.Beside != nil {
		return op.Beside.Verb.String()
	}
	return op.Verb.String()
}

// foreseen counts the requests that are foreseen of a workflow, by their verbs.
func foreseen(p *workflow.Procedure) map[string]int {
	counts := map[string]int{}
	for _, op := range p.Requests() {
		counts[requestName(&op)]++
	}
	return counts
}

// course is a workflow under way.
type course struct {
	*workflow.Procedure
	request target.Operation
	silent  bool
	// lost counts the attempts without a reply, of which it gives up after the most.
	lost, most int
	ended      bool
	// ok is how it ended.
	ok bool
}

func begun(p *workflow.Procedure) *course { return &course{Procedure: p, request: p.Begin(), most: 30} }

// tell takes the course on by one outcome, as a session does that retries what nobody
// answered.
func (c *course) tell(w *world, o target.Outcome) {
	c.silent = c.silent || o.Unheard()
	sent := c.request
	move, next := c.Next(workflow.Attempt{Sent: &sent, Outcome: &o, Silent: c.silent})
	switch {
	case o.Status == 0 && move != workflow.Fail:
		c.lost++
		c.ended = c.lost == c.most
	case move == workflow.Proceed:
		c.request, c.silent = next, false
		w.now = w.now.Add(c.Pause())
	default:
		c.ended, c.ok = true, move == workflow.Succeed || move == workflow.Settle && o.Status < 300
	}
	if c.ended {
		c.Stop()
	}
}

// steps carries out so many requests of a course, finish all that are left.
func (w *world) steps(c *course, count int) {
	w.t.Helper()
	for ; count > 0 && !c.ended; count-- {
		request := c.request
		c.tell(w, w.do(&request))
	}
}

func (w *world) finish(c *course) bool {
	w.t.Helper()
	w.steps(c, math.MaxInt)
	return c.ok
}

// run carries a workflow out alone and reports whether it ended well.
func (w *world) run(p *workflow.Procedure) bool {
	w.t.Helper()
	return w.finish(begun(p))
}

// watch is run, with each request seen before it is carried out.
func (w *world) watch(p *workflow.Procedure, see func(op *target.Operation)) bool {
	w.t.Helper()
	c := begun(p)
	for !c.ended {
		see(&c.request)
		w.steps(c, 1)
	}
	return c.ok
}

// lose is run, with ten milliseconds to a request, and loses the first reply of which a
// function says so, after the request was carried out. Numbers of requests go on from one; the
// next one is returned.
func (w *world) lose(all []*workflow.Procedure, which func(op *target.Operation, number int) bool) int {
	w.t.Helper()
	number, lost := 0, false
	for _, one := range all {
		c := begun(one)
		for ; !c.ended; number++ {
			request := c.request
			w.now = w.now.Add(10*time.Millisecond - time.Second) // do adds a second
			o := w.do(&request)
			if !lost && which(&request, number) {
				lost, o = true, target.Outcome{}
			}
			c.tell(w, o)
		}
		assert.True(w.t, c.ok, "the workflow failed; want that it ends well")
	}
	return number
}

// checks returns the workflow of a check, after that which runs before it.
func checks(check *workflow.Check) []*workflow.Procedure {
	if check.Before != nil {
		return []*workflow.Procedure{check.Before.Procedure, check.Procedure}
	}
	return []*workflow.Procedure{check.Procedure}
}

// raceWell is race of workflows that are all to end well.
func (w *world) raceWell(seed uint64, lanes, lost int, all []*workflow.Procedure) {
	w.t.Helper()
	for k, ok := range w.race(seed, lanes, lost, all) {
		assert.Truef(w.t, ok, "seed %d: operation %d of %d did not end well", seed, k, len(all))
	}
}

// race carries workflows out, so many at a time, in an order that chance decides; of
// 100 replies so many are lost, half of them after the request was carried out. It
// returns which ended well.
func (w *world) race(seed uint64, lanes, lost int, all []*workflow.Procedure) []bool {
	w.t.Helper()
	rng := rand.New(rand.NewPCG(seed, 8))
	ended := make([]bool, len(all))
	under, next := map[int]*course{}, 0
	var order []int
	var late []target.Operation
	for next < len(all) || len(order) > 0 {
		for len(order) < lanes && next < len(all) {
			under[next] = begun(all[next])
			if w.late {
				under[next].most = 6
			}
			order = append(order, next)
			next++
		}
		if len(late) > 0 && rng.IntN(4) == 0 {
			w.do(&late[0])
			late = late[1:]
		}
		at := rng.IntN(len(order))
		c := under[order[at]]
		request := c.request
		switch chance := rng.IntN(200); {
		case chance < lost:
			w.do(&request)
			c.tell(w, target.Outcome{})
		case chance < 2*lost:
			if w.late {
				late = append(late, request)
			}
			c.tell(w, target.Outcome{})
		default:
			c.tell(w, w.do(&request))
		}
		if c.ended {
			ended[order[at]] = c.ok
			order = append(order[:at], order[at+1:]...)
		}
	}
	for i := range late {
		w.do(&late[i])
	}
	return ended
}

// checkOf returns the check of what a kind leaves behind.
func (w *world) checkOf(kind string, given args) *workflow.Check {
	one := workflow.Find(kind)
	return one.Check(w.Setting, settled(one, given))
}

// check carries the check of a kind out and returns what it found.
func (w *world) check(kind string, given args) workflow.Findings {
	w.t.Helper()
	check := w.checkOf(kind, given)
	for _, one := range checks(check) {
		require.True(w.t, w.run(one), check.Name)
	}
	return check.Findings
}

// holds complains unless the check of a kind finds no fault, in so many at least.
func (w *world) holds(kind string, given args, least int64) {
	w.t.Helper()
	w.finds(kind, given, 0, least)
}

// finds complains unless the check of a kind finds so many faults, in so many at least.
func (w *world) finds(kind string, given args, faults, least int64) {
	w.t.Helper()
	if found := w.check(kind, given); found.Faults != faults || found.Looked < least {
		w.t.Errorf("%s: %d faults in %d, %q; want %d, in %d at least", kind, found.Faults, found.Looked, found.Examples, faults, least)
	}
}

// value returns a property of an entity, nothing where it has none.
func value(of entity.Packed, name string) entity.Value {
	v, _ := of.Lookup(name)
	return v
}

func text(name, value string) entity.Property {
	return entity.Property{Name: name, Value: entity.String(value)}
}

func number(name string, value int) entity.Property {
	return entity.Property{Name: name, Value: entity.Int32(int32(value))}
}
