package results

import "time"

// maxRecent is the number of last seconds, finished or not, that a recorder keeps for [Recorder.Window].
const maxRecent = 12

// Window has the counts of some seconds of a run in progress, by the same rules as [Interval].
type Window struct {
	Counts
	// Response has the response times of operations that succeeded.
	Response Histogram
}

// Totals are the counts of a run so far.
type Totals struct {
	// Phases has the counts of each phase, by kind of operation. Counts are the sum of all.
	Phases [][]Counts
	Counts
	// InFlight is the number of attempts that were sent and have not ended.
	InFlight int64
}

// KeepRecent keeps the last seconds in memory for [Recorder.Window] and [Recorder.PartitionLoads].
func (r *Recorder) KeepRecent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows.keepsRecent, r.heat.keepsRecent = true, true
}

// Share lets other goroutines call [Recorder.Window] and [Recorder.Totals] although [Recorder.Alone] was called. It
// must be called before anything is recorded.
func (r *Recorder) Share() { r.shared = true }

// Window returns what happened in the seconds from one up to another. It needs [Recorder.KeepRecent], and finds
// nothing of seconds that ended more than about ten seconds ago.
func (r *Recorder) Window(from, to int64) *Window {
	w := &Window{}
	r.eachRecent(from, to, func(one *row) {
		for k := range one.Kinds {
			w.Add(&one.Kinds[k].Counts)
		}
		w.Response.Merge(one.response)
	})
	return w
}

// WindowCounts returns the counts of [Recorder.Window], which take less time than the response times.
func (r *Recorder) WindowCounts(from, to int64) (sum Counts) {
	r.eachRecent(from, to, func(one *row) {
		for k := range one.Kinds {
			sum.Add(&one.Kinds[k].Counts)
		}
	})
	return sum
}

// PartitionLoad is the load of a partition in some seconds: lower bounds.
type PartitionLoad struct {
	Table, PartitionKey string
	// Served are entities, Throttled those that throttled attempts meant to touch.
	Served, Throttled int64
}

// Name returns the partition for people, see [PartitionName].
func (l *PartitionLoad) Name() string { return PartitionName(l.Table, l.PartitionKey) }

// Demanded returns the entities that attempts meant to touch.
func (l *PartitionLoad) Demanded() int64 { return l.Served + l.Throttled }

// PartitionLoads returns the load of each partition that is followed in the seconds from one up to another, in no
// order, and the entities that attempts meant to touch at any partition. It needs [Recorder.KeepRecent].
func (r *Recorder) PartitionLoads(from, to int64) (list []PartitionLoad, demanded int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	for i := range r.heat.order {
		one := r.heat.order[i].of
		if one.recent == nil {
			continue
		}
		if sum := one.recent.sum(from, to); sum.served > 0 || sum.throttled > 0 {
			list = append(list, PartitionLoad{one.table, one.key, sum.served, sum.throttled})
		}
	}
	all := r.heat.demanded.sum(from, to)
	return list, all.served + all.throttled
}

// Touched adds entities to the recent load of a partition, and to nothing else: of requests whose attempts are recorded
// without a partition. It keeps the table and the key.
func (r *Recorder) Touched(at time.Duration, table, key string, served, throttled int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.heat.find(place{table, key}, served+throttled); one != nil && r.heat.keepsRecent {
		one.demanded += served + throttled
		one.addRecent(int64(at/time.Second), served, throttled)
	}
}

// eachRecent calls a function for each second of a range that is kept and in which something happened.
func (r *Recorder) eachRecent(from, to int64, do func(*row)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	for _, list := range [...][]*row{r.rows.recent, r.rows.open} {
		for _, one := range list {
			if from <= one.Second && one.Second < to {
				do(one)
			}
		}
	}
}

// Totals returns the counts of the run so far.
func (r *Recorder) Totals() Totals {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	t := Totals{InFlight: r.rows.inFlight}
	for _, one := range r.rows.open {
		t.InFlight += one.begun
		for k := range one.Kinds {
			t.InFlight -= one.Kinds[k].Attempts
		}
	}
	for p := range r.record.Phases {
		kinds := make([]Counts, len(r.record.Phases[p].Kinds))
		for k := range kinds {
			kinds[k] = r.record.Phases[p].Kinds[k].Counts
			kinds[k].Causes = nil
			t.Add(&kinds[k])
		}
		t.Phases = append(t.Phases, kinds)
	}
	return t
}

// Latest returns the latest end of an attempt or operation: the present of a run in virtual time.
func (r *Recorder) Latest() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gather()
	return r.rows.latest
}
