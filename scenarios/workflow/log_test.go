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
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// message is a thing whose message came about at a time of the day, such as 18:00:05.
func message(t *testing.T, n int, at string) thing {
	t.Helper()
	instant, err := time.Parse(time.RFC3339, "2014-07-31T"+at+"Z")
	require.NoError(t, err)
	return thing{number: uint64(n), keys: map[string]entity.Key{"": {Partition: fmt.Sprint(n), Row: "message"}},
		properties: []entity.Property{number("Number", 1), {Name: "At", Value: entity.DateTime(entity.TicksOf(instant))}}}
}

// logged is an operation of a log.
func (w *world) logged(kind string, given args, about thing) workflow.Workflow {
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
		foreseen := len(workflow.Requests(p))
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
	var appends []workflow.Workflow
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
		all := w.runAll(several(100, func(k int) workflow.Workflow { return w.logged("log-append", given, message(t, k, "18:00:00")) }))
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
