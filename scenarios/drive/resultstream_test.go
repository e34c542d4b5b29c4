package drive_test

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/results"
	"loadgen/scenarios/drive"
)

// marathon is the wall time at which the taped runs started.
var marathon = time.Date(2011, 11, 6, 9, 40, 0, 0, time.UTC)

// taped is a run in virtual time, and its result stream.
func taped(t *testing.T) (ran, []byte) {
	t.Helper()
	var written bytes.Buffer
	resultStream := drive.NewResultStream(&written, "stress", marathon, kinds)
	runner := &drive.Virtual{Target: fake(nil, 300)}
	all, err := observed(t, t.Context(), runner, []drive.Observer{resultStream}, stages(t)...)
	require.NoError(t, errors.Join(err, resultStream.Close()))
	return all, written.Bytes()
}

// decode reads all that a decoder yields.
func decode(t *testing.T, decoder vegeta.Decoder) (all vegeta.Results) {
	t.Helper()
	for {
		var r vegeta.Result
		err := decoder.Decode(&r)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoErrorf(t, err, "decoding result %d", len(all))
		all = append(all, r)
	}
}

// fieldsIn reads the header of a taped attempt.
func fieldsIn(t *testing.T, r *vegeta.Result) (operation uint64, attempt int, intended time.Duration, code string) {
	t.Helper()
	values, err := url.ParseQuery(r.Headers.Get(drive.ResultStreamHeader))
	operation, noNumber := strconv.ParseUint(values.Get(drive.ResultStreamOperation), 10, 64)
	attempt, noAttempt := strconv.Atoi(values.Get(drive.ResultStreamAttempt))
	ns, noInstant := strconv.ParseInt(values.Get(drive.ResultStreamIntended), 10, 64)
	require.NoErrorf(t, errors.Join(err, noNumber, noAttempt, noInstant), "header of result %d: %v", r.Seq, r.Headers)
	return operation, attempt, time.Duration(ns), values.Get(drive.ResultStreamCode)
}

// The result stream holds every attempt of the record, numbered from 0 in the order in which they were
// sent: vegeta's plot takes no instant that falls. The same seed gives the same bytes.
func TestResultStreamHoldsTheRecord(t *testing.T) {
	taken, resultStream := taped(t)
	total := taken.sum
	all := decode(t, vegeta.NewDecoder(bytes.NewReader(resultStream)))
	require.Len(t, all, int(total.Attempts))
	var service results.ByClass
	for class := range service {
		service[class] = results.NewHistogram()
	}
	type end struct {
		attempt int
		took    time.Duration
		ok      bool
	}
	last := make(map[uint64]end)
	for i := range all {
		r := &all[i]
		operation, attempt, intended, code := fieldsIn(t, r)
		if before, known := last[operation]; known != (attempt > 0) || known && attempt != before.attempt+1 {
			t.Fatalf("result %d is attempt %d of operation %d after %+v", i, attempt, operation, before)
		}
		last[operation] = end{attempt, r.End().Sub(marathon) - intended, r.Error == ""}
		require.Truef(t, r.Attack == "stress" && (code == "ServerBusy") == (r.Code == 503),
			"result %d = %+v; want the attack and, of a 503, the code", i, r)
		class := results.Throttled
		if r.Error == "" {
			class = results.Ok
		}
		service[class].Record(r.Latency)
	}
	response, lost := results.NewHistogram(), results.NewHistogram()
	for _, e := range last {
		if e.ok {
			response.Record(e.took)
		} else {
			lost.Record(e.took)
		}
	}
	for name, pair := range map[string][2]*results.Histogram{
		"service of successes": {total.Service[results.Ok], service[results.Ok]}, "response": {total.Response, response},
		"service of refusals": {total.Service[results.Throttled], service[results.Throttled]}, "response of lost ones": {total.Lost, lost},
	} {
		assert.NotEmpty(t, pair[0].Bars(), name)
		assert.Equal(t, pair[0].Bars(), pair[1].Bars(), name)
	}
	slices.SortFunc(all, func(a, b vegeta.Result) int { return cmp.Compare(a.Seq, b.Seq) })
	for i := range all {
		require.Truef(t, all[i].Seq == uint64(i) && (i <= 0 || !all[i].Timestamp.Before(all[i-1].Timestamp)),
			"result %d has the number %d and was sent at %v; want them numbered in order", i, all[i].Seq, all[i].Timestamp)
	}
	_, again := taped(t)
	assert.True(t, bytes.Equal(resultStream, again), "two result streams of one seed differ")
}

// Vegeta's commands find the encoding, read everything and add it up.
func TestVegetaReportsAResultStream(t *testing.T) {
	all, resultStream := taped(t)
	total := all.sum
	decoder := vegeta.DecoderFor(bytes.NewReader(resultStream))
	require.NotNil(t, decoder, "the decoder of the encoding")
	var metrics vegeta.Metrics
	for _, r := range decode(t, decoder) {
		metrics.Add(&r)
	}
	metrics.Close()
	var service time.Duration
	for _, a := range all.attempts.list {
		service += a.Done - a.Sent
	}
	assert.EqualValues(t, total.Attempts, metrics.Requests, "requests")
	assert.Equal(t, map[string]int{"204": int(total.Ok), "503": int(total.Throttled)}, metrics.StatusCodes)
	assert.Equal(t, service, metrics.Latencies.Total, "sum of the latencies")
	assert.Equal(t, float64(total.Ok)/float64(total.Attempts), metrics.Success, "success ratio")
	assert.Equal(t, []string{"throttled 503 ServerBusy"}, metrics.Errors)
}

func TestTapedAttempt(t *testing.T) {
	rows := []struct {
		name    string
		attempt results.Attempt
		want    vegeta.Result
		code    string
	}{
		{"a success is of its kind and group, with its sizes",
			results.Attempt{Kind: 1, Number: 7, Sent: time.Second, Done: 3 * time.Second, Class: results.Ok, Status: 204, BytesOut: 900, BytesIn: 30},
			vegeta.Result{Code: 204, Timestamp: marathon.Add(time.Second), Latency: 2 * time.Second,
				BytesOut: 900, BytesIn: 30, Method: "PUT", URL: "loadgen:insert"}, ""},
		{"an expected 404 is no error",
			results.Attempt{Class: results.Ok, Status: 404, Code: "ResourceNotFound"},
			vegeta.Result{Code: 404, Timestamp: marathon, Method: "GET", URL: "loadgen:get"}, "ResourceNotFound"},
		{"a failure without a reply has neither status nor code",
			results.Attempt{Class: results.Failed},
			vegeta.Result{Timestamp: marathon, Error: "failed 0", Method: "GET", URL: "loadgen:get"}, ""},
		{"a code of whatever characters comes back",
			results.Attempt{Class: results.Throttled, Status: 503, Code: "a=b&c d%\n"},
			vegeta.Result{Code: 503, Timestamp: marathon, Error: "throttled 503 a=b&c d%\n", Method: "GET", URL: "loadgen:get"}, "a=b&c d%\n"},
	}
	var written bytes.Buffer
	resultStream := drive.NewResultStream(&written, "one", marathon, kinds)
	for i := range rows {
		rows[i].attempt.Sequence = uint64(i)
		resultStream.Attempt(&rows[i].attempt)
		resultStream.Completed(&results.Completed{Class: results.Ok}) // adds nothing
	}
	require.NoError(t, resultStream.Close())
	all := decode(t, vegeta.NewDecoder(&written))
	require.Len(t, all, len(rows), "the tape holds")
	for i, r := range rows {
		r.want.Attack, r.want.Seq, r.want.Headers = "one", uint64(i), all[i].Headers
		assert.Equal(t, r.want, all[i], r.name)
		number, _, _, code := fieldsIn(t, &all[i])
		assert.Equal(t, r.attempt.Number, number, r.name)
		assert.Equal(t, r.code, code, r.name)
	}
}

// fullWriter is a writer with room for some bytes.
type fullWriter struct {
	room    int
	failure error
}

func (f *fullWriter) Write(text []byte) (int, error) {
	if len(text) <= f.room {
		f.room -= len(text)
		return len(text), nil
	}
	wrote := f.room
	f.room = 0
	return wrote, f.failure
}

// A result stream that cannot be written says so in the end, and holds nobody up: more
// attempts follow than may wait.
func TestResultStreamThatCannotBeWritten(t *testing.T) {
	for _, test := range []struct {
		name    string
		room    int
		failure error
		want    error
	}{
		{"a disk that was full before", 0, syscall.ENOSPC, syscall.ENOSPC},
		{"a disk that is full after the first buffer", 70_000, syscall.ENOSPC, syscall.ENOSPC},
		{"a writer that writes less than it was given", 100, nil, io.ErrShortWrite},
		{"a disk with room enough", 1 << 30, syscall.ENOSPC, nil},
	} {
		resultStream := drive.NewResultStream(&fullWriter{test.room, test.failure}, "full", marathon, kinds)
		for n := range uint64(20_000) {
			resultStream.Attempt(&results.Attempt{Number: n, Class: results.Ok, Status: 200})
		}
		for range 2 {
			assert.ErrorIsf(t, resultStream.Close(), test.want, "%s: Close", test.name)
		}
		assert.Panicsf(t, func() { resultStream.Attempt(&results.Attempt{Class: results.Ok}) }, "%s: an attempt after Close", test.name)
	}
}

func TestResultStreamOfManyWorkers(t *testing.T) {
	const workers, each = 8, 400
	var written bytes.Buffer
	resultStream := drive.NewResultStream(&written, "many", marathon, kinds)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for n := range each {
				resultStream.Attempt(&results.Attempt{Number: uint64(w), Try: n, Sequence: uint64(w*each + n), Class: results.Ok, Status: 200})
			}
		})
	}
	all.Wait()
	require.NoError(t, resultStream.Close())
	next := make(map[uint64]int)
	for i, r := range decode(t, vegeta.NewDecoder(&written)) {
		worker, n, _, _ := fieldsIn(t, &r)
		require.Truef(t, r.Seq == worker*each+uint64(n) && n == next[worker],
			"result %d has the number %d and is attempt %d of worker %d; want %d and %d", i, r.Seq, n, worker, i, next[worker])
		next[worker]++
	}
	for w := range uint64(workers) {
		assert.Equalf(t, each, next[w], "attempts of worker %d", w)
	}
}
