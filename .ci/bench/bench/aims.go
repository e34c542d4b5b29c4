package bench

// Aim is a bound of a figure or a ratio.
type Aim struct {
	// Says is what is held, in a few words.
	Says string `json:"says"`
	// Of is the name of the figure or the ratio.
	Of string `json:"of"`
	// Bound is the greatest value that meets the aim, the least where AtLeast says so, in Unit;
	// empty is a multiple.
	Bound   float64 `json:"bound"`
	AtLeast bool    `json:"at_least,omitempty"`
	Unit    string  `json:"unit,omitempty"`
	// by is what the figure is multiplied by: a part of an operation, another unit. 0 is 1.
	by float64
	// inverse takes the figure's reciprocal first: operations a second of CPU.
	inverse bool
	// is says what bounds the figure, in one sentence.
	is string
}

// The ways to say which figure an aim is of.
func ratioName(group, what, at, of, to string) string {
	return Cell{group, what, at, of}.Name() + ":" + to
}

func figureName(group, what, at, of string) string { return Cell{group, what, at, of}.Name() }

// busiest is the load of a server at which aims hold.
const busiest = "32 connections"

// What bounds what is measured, said once.
const (
	boundByReplies = "Parsing, signing, packing and storing: 30% of the CPU. Twelve reply headers and deadlines: 12%."
	boundByBytes   = "Rendering rows: half. Kernel and first memory access: a fifth."
	boundByNode    = "Node.js: one thread, which logs each request part."
	boundByQueue   = "Of an attempt: two fifths reply and record, a quarter sending, a sixth forming; one goroutine."
	boundByScans   = "Memory access of scans: a fifth; then forming, storing, planning and sealing."
	boundByClient  = "One goroutine per connection; net/http has three."
	boundByTimer   = "The kernel wakes idle processes within tens of microseconds, the runtime within a millisecond."
)

// Aims returns the bounds of figures in the order of the report.
func Aims() []Aim {
	return []Aim{
		{Says: "insert: serve to net/http", Of: ratioName(GroupServer, whatInsert, busiest, ofServe, ofBare), Bound: 1.35, is: boundByReplies},
		{Says: "get: serve to net/http", Of: ratioName(GroupServer, whatGet, busiest, ofServe, ofBare), Bound: 1.25, is: boundByReplies},
		{Says: "transaction of 100: an entity", Of: figureName(GroupServer, whatBatch, busiest, ofServe), Bound: 3, Unit: "µs CPU", by: 1. / batchRows,
			is: "Parsing: 40%, packing and storing: 18%, garbage collection: 9%."},
		{Says: "page of 1,000: a row", Of: figureName(GroupServer, whatPage, busiest, ofServe), Bound: 1, Unit: "µs CPU", by: 1. / pageRows, is: boundByBytes},
		{Says: "insert: Azurite to serve", Of: ratioName(GroupServer, whatInsert, busiest, ofAzurite, ofServe), Bound: 20, AtLeast: true, is: boundByNode},
		{Says: "transaction of 100: Azurite to serve", Of: ratioName(GroupServer, whatBatch, busiest, ofAzurite, ofServe), Bound: 40, AtLeast: true, is: boundByNode},
		{Says: "page of 1,000: Azurite to serve", Of: ratioName(GroupServer, whatPage, busiest, ofAzurite, ofServe), Bound: 25, AtLeast: true, is: boundByNode},
		{Says: "client, insert: to net/http's", Of: ratioName(GroupDriver, whatInsert, busiest, ofDriver, ofBareClient), Bound: .5, is: boundByClient},
		{Says: "client, insert: to vegeta's", Of: ratioName(GroupDriver, whatInsert, busiest, ofDriver, ofVegeta), Bound: .37, is: boundByClient},
		{Says: "send error at 2,000/s: to vegeta's", Of: ratioName(GroupPacing, whatPaced+", "+whatHalf, "2,000/s", ofDriver, ofVegeta), Bound: .2, is: boundByTimer},
		{Says: "send error at 5,000/s: to vegeta's", Of: ratioName(GroupPacing, whatPaced+", "+whatHalf, "5,000/s", ofDriver, ofVegeta), Bound: .2, is: boundByTimer},
		{Says: "simulated attempts a CPU second", Of: figureName(GroupSimulator, whatAttempt, simulations[0].at, ofSimulator), Bound: 1.5, AtLeast: true, Unit: "M", inverse: true, is: boundByQueue},
		{Says: "simulated attempts, stored", Of: figureName(GroupSimulator, whatAttemptData, simulations[0].at, ofSimulator), Bound: .8, AtLeast: true, Unit: "M", inverse: true,
			is: "Forming and packing of 1 KiB."},
		{Says: "memory of 10⁶ entities of 1 KiB", Of: figureName(GroupEngine, whatMemory, sizeName(1e6)+" of 1 KiB", ofEngine), Bound: 1150, Unit: "MB",
			is: "Size class of the packed entity, its keys, tree and index."},
		{Says: "upsert: among 10⁶ to among 10⁴", Of: ratioName(GroupEngine, whatUpsert, sizeName(1e6), ofEngine, sizeName(1e4)), Bound: 2.5,
			is: "CPU caches: a tree two levels deeper."},
		{Says: "upsert: among 10⁷ of 100 B to 10⁴", Of: ratioName(GroupEngine, whatUpsert, largeName, ofEngine, sizeName(1e4)), Bound: 2.5,
			is: "CPU caches, as above."},
		{Says: "get: among 10⁶ to among 10⁴", Of: ratioName(GroupEngine, whatPointRead, sizeName(1e6), ofEngine, sizeName(1e4)), Bound: 2.5,
			is: "Some ten uncached memory accesses."},
		{Says: "get: among 10⁷ of 100 B to 10⁴", Of: ratioName(GroupEngine, whatPointRead, largeName, ofEngine, sizeName(1e4)), Bound: 2.5,
			is: "CPU caches, as above."},
		{Says: "stress: an attempt, both sides", Of: figureName(GroupCommands, whatStress, "", ofProgram), Bound: 70, Unit: "µs CPU",
			is: "Server 39%, client 34%, scheduler 13%. At 500/s each costs four times that of 4,000/s."},
		{Says: "simulate: both profiles", Of: figureName(GroupCommands, whatSimulate, "", ofProgram), Bound: 20, Unit: "s CPU", is: boundByQueue},
		{Says: "simulate: as long as it takes", Of: figureName(GroupCommands, whatSimulate+", as long", "", ofProgram), Bound: 10, Unit: "s",
			is: "CPU time over cores; two simulations run at once."},
		{Says: "contest foot-race", Of: figureName(GroupCommands, whatContest, "", ofProgram), Bound: 6, Unit: "s CPU", is: boundByScans},
		{Says: "this program, as built", Of: figureName(GroupCommands, whatProgram, "", ofProgram), Bound: 65, Unit: "MB",
			is: "Linked packages."},
	}
}

// scale is a ratio of one figure to another of the same code, at another load or size.
type scale struct{ of, to Cell }

// scales are the ratios that show how cost grows.
var scales = [...]scale{
	{Cell{GroupEngine, whatUpsert, sizeName(1e6), ofEngine}, Cell{GroupEngine, whatUpsert, sizeName(1e4), ofEngine}},
	{Cell{GroupEngine, whatPointRead, sizeName(1e6), ofEngine}, Cell{GroupEngine, whatPointRead, sizeName(1e4), ofEngine}},
	{Cell{GroupEngine, whatScanPage, sizeName(1e6), ofEngine}, Cell{GroupEngine, whatScanPage, sizeName(1e4), ofEngine}},
	{Cell{GroupEngine, whatUpsert, largeName, ofEngine}, Cell{GroupEngine, whatUpsert, sizeName(1e4), ofEngine}},
	{Cell{GroupEngine, whatPointRead, largeName, ofEngine}, Cell{GroupEngine, whatPointRead, sizeName(1e4), ofEngine}},
	{Cell{GroupRecord, whatSent, processorsName(2), ofProgram}, Cell{GroupRecord, whatSent, processorsName(1), ofProgram}},
	{Cell{GroupRecord, whatSent, processorsName(8), ofProgram}, Cell{GroupRecord, whatSent, processorsName(1), ofProgram}},
	{Cell{GroupSimulator, whatAttempt, "1,024 ranges, 30 servers", ofSimulator}, Cell{GroupSimulator, whatAttempt, "1 range, 30 servers", ofSimulator}},
	{Cell{GroupSimulator, whatAttempt, "cold, 1,000 servers", ofSimulator}, Cell{GroupSimulator, whatAttempt, "cold, 1 server", ofSimulator}},
	{Cell{GroupSimulator, whatAttempt, "closed loop, 1,000 clients", ofSimulator}, Cell{GroupSimulator, whatAttempt, "closed loop, 10 clients", ofSimulator}},
}

// Judged is an aim with what was measured.
type Judged struct {
	Aim
	// Value is what was measured, in the aim's unit; nil where it was not.
	Value *float64 `json:"value"`
	// Interval is that of a ratio.
	Interval *[2]float64 `json:"interval,omitempty"`
	// Met is which side of the bound it is on, Doubtful says that the interval has both.
	Met      *bool `json:"met"`
	Doubtful bool  `json:"doubtful,omitempty"`
}

// judge holds the report to the aims.
func (r *Report) judge() {
	r.Aims = nil
	for _, aim := range Aims() {
		r.Aims = append(r.Aims, r.judged(aim))
	}
}

func (r *Report) judged(a Aim) Judged {
	j := Judged{Aim: a}
	var value float64
	if ratio := r.ratio(a.Of); ratio != nil {
		value, j.Interval = ratio.Median, ratio.Interval
	} else if figure := r.figure(a.Of); figure != nil {
		value = figure.Median
	} else {
		return j
	}
	if a.inverse {
		value = 1 / value // µs an attempt are millions of attempts a second
	}
	if a.by != 0 {
		value *= a.by
	}
	met := value <= a.Bound
	if a.AtLeast {
		met = value >= a.Bound
	}
	j.Value, j.Met = &value, &met
	j.Doubtful = j.Interval != nil && j.Interval[0] < a.Bound && a.Bound < j.Interval[1]
	return j
}
