package workflow_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// nicknames are the parameters of updates of salaries by clients who do not know of nicknames.
var nicknames = args{"changes": "Salary", "unknown": "Nickname"}

// carded returns a world with thirty workers who have a nickname, and some updates.
func carded(t *testing.T, count int, writes string) (*world, []*workflow.Procedure) {
	w := newWorld(t)
	list := workers(30, text("Nickname", "Chip"))
	w.load(list...)
	given := args{"changes": "Salary", "unknown": "Nickname", "writes": writes}
	return w, several(count, func(n int) *workflow.Procedure {
		return w.op("bag-update", n, given, list[n%len(list)], worker(5000+n, "fresh"))
	})
}

// Bags and merges keep what the client does not know, whatever is lost and whoever else
// writes; types drop it, and the count of those that did is how many have lost it.
func TestBagUpdatesKeep(t *testing.T) {
	const count = 90
	for _, row := range []struct {
		writes, verb string
		loses        int64
		reads        int
	}{{"merge", "merge", 0, 0}, {"bag", "replace", 0, count}, {"known", "replace", 30, count}} {
		w, all := carded(t, count, row.writes)
		w.raceWell(5, 8, 30, all)
		sent := maps.Clone(w.requests)
		w.finds("bag-update", nicknames, row.loses, 30)
		restarts := total(all, "restarts")
		assert.Truef(t, sent[row.verb] >= count && sent["get"] >= row.reads && (row.reads > 0) == (sent["get"] > 0), "%s: it sent %v", row.writes, sent)
		assert.Equal(t, row.reads > 0, restarts > 0, row.writes)
	}
}

// What somebody else writes between the read and the write stays, and so does the change;
// what somebody else has dropped by then, the client did not.
func TestBagUpdateIsOvertaken(t *testing.T) {
	key := entity.Key{Partition: "d0", Row: "0000"}
	note := []entity.Property{text("Nickname", "Dot")}
	for _, row := range []struct {
		says, writes string
		other        entity.Change
		want         string
	}{
		{"a bag has what was changed meanwhile", "bag", entity.Change{Verb: entity.Merge, Properties: note}, "2 replaces, Dot, 5100, map[restarts:1]"},
		{"and drops what was dropped meanwhile", "bag", entity.Change{Verb: entity.Replace}, "2 replaces, , 5100, map[restarts:1]"},
		{"a type drops what was changed meanwhile", "known", entity.Change{Verb: entity.Merge, Properties: note}, "2 replaces, , 5100, map[lost:1 restarts:1]"},
		{"and not what was dropped by somebody else", "known", entity.Change{Verb: entity.Replace}, "2 replaces, , 5100, map[restarts:1]"},
	} {
		w, all := carded(t, 1, row.writes)
		replaced := 0
		w.watch(all[0], func(op *target.Operation) {
			if op.Verb != entity.Replace {
				return
			}
			if replaced++; replaced == 1 {
				w.change(row.other.Verb, "Test", key, row.other.Properties...)
			}
		})
		stored, _ := w.get("Test", key)
		assert.Equal(t, row.want, fmt.Sprintf("%d replaces, %s, %d, %v", replaced, value(stored, "Nickname").Text(), value(stored, "Salary").Int(), counted(all[0])),
			row.says)
	}
}

// A read fetches what was never fetched, what has expired when it is due, and what depends on a
// later fetch; whichever operation is asked for first.
func TestKeeperFollowsTheSchedule(t *testing.T) {
	needs := func(k uint64) (time.Duration, []workflow.Keeping) {
		user, page := []string{"ann", "bob"}[k/4%2], []time.Duration{5 * time.Second, 25 * time.Second}[k/4%2]
		return time.Duration(k) * 3 * time.Second, []workflow.Keeping{{Of: user, For: 10 * time.Second}, {Of: user + "/page", For: page}}
	}
	const page, both = workflow.Lacking(2), workflow.Lacking(3)
	want := []workflow.Lacking{both, 0, page, 0, both, 0, 0, 0, both, 0, page, 0, both, 0, 0, 0}
	forward, backward := workflow.NewKeeper(needs), workflow.NewKeeper(needs)
	for k := range want {
		last := uint64(len(want) - 1 - k)
		assert.Equalf(t, want[k], forward.Lacks(uint64(k)), "operation %d", k)
		assert.Equalf(t, want[last], backward.Lacks(last), "operation %d", last)
	}
}

// logins returns so many of five users.
func (w *world) logins(count int, given args) []*workflow.Procedure {
	return several(count, func(k int) *workflow.Procedure {
		about := thing{number: uint64(k), keys: map[string]entity.Key{"": {Partition: fmt.Sprint("user ", k%5), Row: fmt.Sprintf("%04d", k)}}}
		return w.op("login", k, given, about)
	})
}

// days returns how many rows of a table begin with each day; nil where there
// is no table.
func (w *world) days(table string) map[string]int {
	found := map[string]int{}
	for q := (target.Query{Range: filter.WholeTable()}); ; {
		o := w.do(&target.Operation{Verb: entity.Query, Table: table, Query: q})
		if o.Status == 404 {
			return nil
		}
		for _, row := range o.Rows {
			day, _, _ := strings.Cut(row.Key.Row, "_")
			found[day]++
		}
		if q.Token = o.Next; !q.Token.Present {
			return found
		}
	}
}

// However logins and purges interleave and replies get lost, the days that are due are
// gone, and the others whole: by dropping their tables as by deleting what a scan finds.
func TestPurgeDeletesTheDaysThatAreDue(t *testing.T) {
	for _, row := range []struct{ how, lies string }{{"drop", "day-tables"}, {"transactions", "one-table"}} {
		for seed := range uint64(6) {
			w := newWorld(t)
			w.raceWell(seed, 8, 20, w.logins(400, args{"days": "3", "lies": row.lies}))
			given := args{"days": "2", "how": row.how}
			before := 400
			if row.lies == "one-table" {
				before -= w.days("Test")["0003"]
			}
			// Each day is purged twice at the same time.
			purges := several(4, func(k int) *workflow.Procedure { return w.op("purge-day", k, given, thing{}) })
			w.raceWell(seed, 4, 10, purges)
			w.holds("purge-day", given, 2)
			kept := w.days("Test")
			if row.lies == "day-tables" {
				kept = w.days("TestDay0003")
				assert.Truef(t, w.days("TestDay0001") == nil && w.days("TestDay0002") == nil,
					"%s: a table of a purged day is there", row.how)
			}
			assert.Truef(t, len(kept) == 1 && kept["0003"] >= 100,
				"%s: of 400 logins, %v are left by day; want those of day 3 alone", row.how, kept)
			if deleted := total(purges, "deleted"); row.lies == "one-table" && deleted < int64(before) {
				t.Errorf("%s: %d deleted by count; want all %d at least", row.how, deleted, before)
			}
		}
	}
}

// Alone and undisturbed, a purge is one request, or as many as there are users, and
// one scan. A purge that comes late counts nothing, and a day without one is a fault.
func TestPurgeOfADay(t *testing.T) {
	for _, row := range []struct {
		how, lies, counter, want string
	}{
		{"drop", "day-tables", "dropped", "map[delete-table:1]"},
		{"transactions", "one-table", "deleted", "map[batch:5 query:1]"},
	} {
		w := newWorld(t)
		w.runAll(w.logins(100, args{"days": "2", "lies": row.lies}))
		day1 := w.days("Test")["0001"]
		given := args{"days": "2", "how": row.how}
		first, late := w.op("purge-day", 0, given, thing{}), begun(w.op("purge-day", 2, given, thing{}))
		clear(w.requests)
		assert.True(t, w.run(first), row.how)
		assert.Equal(t, row.want, fmt.Sprint(w.requests), row.how)
		assert.EqualValues(t, max(1, day1), counted(first)[row.counter], row.how)
		w.finish(late)
		assert.Zero(t, counted(late.Procedure)[row.counter], row.how)
		found := w.check("purge-day", given)
		assert.Truef(t, found.Looked == 2 && found.Faults == 1 && strings.Contains(found.Examples[0], "day 2 "), "%s: %+v; want a fault of day 2", row.how, found)
	}
}

// A login of a day whose table has an old name waits until that is free, and gives up
// where it never is; of a new name it waits for nothing.
func TestLoginWaitsForTheNameOfADeletedTable(t *testing.T) {
	for _, row := range []struct {
		sentence, names, delay string
		ok                     bool
		made, waited           int64
	}{
		{"an old name that is free after a while", "reused", "40s", true, 1, 1},
		{"an old name that is free at once", "reused", "0", true, 1, 0},
		{"an old name that is never free", "reused", "1h", false, 0, 1},
		{"a name of its own", "unique", "1h", true, 1, 0},
	} {
		w := newModelWorld(t, row.delay)
		given := args{"days": "1", "names": row.names}
		w.run(w.logins(1, given)[0])
		w.run(w.op("purge-day", 0, given, thing{}))
		began := w.now
		given["first"] = "8"
		next := w.logins(1, given)[0]
		assert.Equal(t, row.ok, w.run(next), row.sentence)
		assert.Equal(t, [2]int64{row.made, row.waited}, [2]int64{counted(next)["made"], counted(next)["waited"]}, row.sentence)
		assert.Truef(t, !row.ok || w.requests["create-table"] <= 1+1+10, "%s: %d requests for a table; want one in 5 s", row.sentence, w.requests["create-table"])
		if lasted := w.now.Sub(began); row.ok && (row.waited == 1) != (lasted >= 30*time.Second) || lasted > 10*time.Minute {
			t.Errorf("%s: it took %v", row.sentence, lasted)
		}
	}
}

// message is a thing whose message came about at a time of the day, such as 18:00:05.
func message(t *testing.T, n int, at string) thing {
	t.Helper()
	instant, err := time.Parse(time.RFC3339, "2014-07-31T"+at+"Z")
	require.NoError(t, err)
	return thing{number: uint64(n), keys: map[string]entity.Key{"": {Partition: fmt.Sprint(n), Row: "message"}},
		properties: []entity.Property{number("Number", 1), {Name: "At", Value: entity.DateTime(entity.TicksOf(instant))}}}
}

// logged is an operation of a log.
func (w *world) logged(kind string, given args, about thing) *workflow.Procedure {
	with := args{"time": "At"}
	maps.Copy(with, given)
	return w.op(kind, int(about.number), with, about)
}

// putBlob puts a blob into the log.
func (w *world) putBlob(name, body string) {
	w.do(&target.Operation{Beside: &target.Beside{Verb: target.PutBlob, Store: "test-logs", Name: "queue/2014/07/31/1800/" + name, Body: []byte(body)}})
}

// blobsOf returns all blobs of the log, with what they hold.
func blobsOf(w *world) []target.Found {
	list := w.do(&target.Operation{Beside: &target.Beside{Verb: target.ListBlobs, Store: "test-logs"}}).Found
	for i := range list {
		read := w.do(&target.Operation{Beside: &target.Beside{Verb: target.GetBlob, Store: "test-logs", Name: list[i].Name}})
		list[i].Body = read.Found[0].Body
	}
	return list
}

// What a writer has gathered is a blob of the hour, with the first and the last time in
// its metadata, and in an hour each where it is of two.
func TestMessagesAreBlobsOfTheirHour(t *testing.T) {
	for _, row := range []struct {
		name, buffer, over, at string
		want                   []string
	}{
		{"a message alone", "1", "0s", "18:00:00", []string{"queue/2014/07/31/1800/000007.log 1 18:00:00..18:00:00"}},
		{"four gathered in four seconds", "4", "4s", "18:30:03", []string{"queue/2014/07/31/1800/000007.log 4 18:30:00..18:30:03"}},
		{"four gathered at once", "4", "0s", "18:30:03", []string{"queue/2014/07/31/1800/000007.log 4 18:30:03..18:30:03"}},
		{"four gathered over the end of an hour", "4", "4s", "19:00:00", []string{
			"queue/2014/07/31/1800/000007.log 3 18:59:57..18:59:59", "queue/2014/07/31/1900/000007.log 1 19:00:00..19:00:00"}},
	} {
		w := newWorld(t)
		p := w.logged("log-append", args{"buffer": row.buffer, "over": row.over}, message(t, 7, row.at))
		foreseen := len(p.Requests())
		assert.Truef(t, w.run(p) && w.requests["put-blob"] == len(row.want) && foreseen == len(row.want),
			"%s: written by %v, %d foreseen; want %d", row.name, w.requests, foreseen, len(row.want))
		var got []string
		for _, blob := range blobsOf(w) {
			lines := slices.Collect(strings.Lines(string(blob.Body)))
			first, _, _ := strings.Cut(lines[0], ";")
			last, _, _ := strings.Cut(lines[len(lines)-1], ";")
			assert.Equal(t, [2]string{first, last}, [2]string{blob.Metadata["first"], blob.Metadata["last"]}, row.name)
			got = append(got, fmt.Sprintf("%s %d %s..%s", blob.Name, len(lines), first[11:19], last[11:19]))
		}
		assert.Equal(t, row.want, got, row.name)
	}
}

// A window is found by the hour and the metadata: no line of it is missed, and no blob
// read that has none.
func TestAWindowIsFoundByPrefixAndMetadata(t *testing.T) {
	w := newWorld(t)
	// Two hours of the log, a message a second, ten of them to a blob.
	var appends []*workflow.Procedure
	start := time.Date(2014, 7, 31, 18, 0, 0, 0, time.UTC)
	for k := range 720 {
		at := start.Add(time.Duration(k*10+9) * time.Second).Format(time.TimeOnly)
		appends = append(appends, w.logged("log-append", args{"buffer": "10", "over": "10s"}, message(t, k, at)))
	}
	w.race(3, 4, 20, appends)
	require.EqualValues(t, 7200, total(appends, "lines"), "lines were written")
	// What somebody else has put there is none of the log's.
	w.putBlob("notes.txt", "a\nb\n")
	for _, row := range []struct {
		name, at, minutes    string
		lines, blobs, listed int64
		lists                int
	}{
		{"two minutes of an hour", "18:04:00", "2", 120, 12, 361, 1},
		{"from the minute on that the message is of", "18:04:59", "2", 120, 12, 361, 1},
		{"the last minute of an hour", "18:59:30", "1", 60, 6, 361, 1},
		{"two minutes of two hours", "18:59:30", "2", 120, 12, 721, 2},
		{"an hour", "18:00:00", "60", 3600, 360, 361, 1},
		{"an hour of two", "18:30:00", "60", 3600, 360, 721, 2},
		{"the end of the log", "19:59:00", "2", 60, 6, 360, 2},
		{"where nothing was logged", "21:00:00", "2", 0, 0, 0, 1},
	} {
		clear(w.requests)
		p := w.logged("log-read", args{"minutes": row.minutes}, message(t, 0, row.at))
		ended, told := w.run(p), counted(p)
		assert.Truef(t, ended && told["lines"] == row.lines && told["blobs"] == row.blobs && told["listed"] == row.listed,
			"%s: %v; want %d lines of %d blobs, %d listed", row.name, told, row.lines, row.blobs, row.listed)
		assert.Truef(t, w.requests["list-blobs"] == row.lists && w.requests["get-blob"] == int(row.blobs),
			"%s: read by %v; want %d lists and %d blobs", row.name, w.requests, row.lists, row.blobs)
	}
}

// Lines are counted that are of the window, of a blob that goes beyond it.
func TestABlobCanGoBeyondTheWindow(t *testing.T) {
	w := newWorld(t)
	w.run(w.logged("log-append", args{"buffer": "180", "over": "180s"}, message(t, 1, "18:02:59")))
	read := w.logged("log-read", args{"minutes": "1"}, message(t, 1, "18:01:20"))
	w.run(read)
	assert.EqualValues(t, 60, counted(read)["lines"], "of 180")
}

// A writer that dies takes with it what it has gathered; whoever gathers nothing loses
// nothing.
func TestWritersThatDieLoseWhatTheyGathered(t *testing.T) {
	for _, row := range []struct {
		buffer      int64
		killed      string
		least, most int64
	}{{1, "50%", 0, 0}, {20, "0", 0, 0}, {20, "5%", 200, 1000}, {20, "100%", 1900, 1900}, {2, "100%", 100, 100}} {
		w := newWorld(t)
		given := args{"buffer": fmt.Sprint(row.buffer), "killed": row.killed}
		all := w.runAll(several(100, func(k int) *workflow.Procedure { return w.logged("log-append", given, message(t, k, "18:00:00")) }))
		there := int64(0)
		for _, blob := range blobsOf(w) {
			there += int64(strings.Count(string(blob.Body), "\n"))
		}
		lines, lost := total(all, "lines"), total(all, "lost")
		assert.Truef(t, lost >= row.least && lost <= row.most && lines+lost == 100*row.buffer && lines == there,
			"%+v: %d lines, %d there, %d lost; want %d to %d lost", row, lines, there, lost, row.least, row.most)
	}
}

// A list of more blobs than one reply names goes on behind the last, also where a service lists
// fewer than there are and were asked for: each further page is a request of its own, and none
// is left out.
func TestLongListsGoOn(t *testing.T) {
	for page := 0; page <= 26; page++ {
		blobs, want := 25, (25+page-1)/max(1, page)
		if page == 0 {
			blobs, want = 5001, 2
		}
		w := newWorld(t)
		w.page = page
		for i := range blobs {
			w.putBlob(fmt.Sprintf("%06d.log", i), "")
		}
		read := w.logged("log-read", nil, message(t, 1, "18:00:00"))
		assert.Truef(t, w.run(read) && counted(read)["listed"] == int64(blobs) && w.requests["list-blobs"] == want,
			"pages of %d: %v by %d lists; want %d by %d", page, counted(read), w.requests["list-blobs"], blobs, want)
	}
}
