//go:build long && unix

package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/engine/rest/resttest"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// fastPace is as fast as both sides of the wire have to be on one machine: 24
// partitions, each offered as many gets as merges, 20,004 operations/s in all.
//
//go:embed testdata/pace.yaml
var fastPace string

// The bounds of the pace. What an operation costs is aimed at 65 µs and held to
// twice that, which no other load of the machine explains.
const (
	paceServed = 19_900
	paceAim    = 65 * time.Microsecond
	paceMost   = 2 * paceAim
	// bareEnough is what a bare client has to reach before a generator may not
	// say that the machine was its limit.
	bareEnough = 40_000
)

func TestLivePace(t *testing.T) {
	best(t, func() string { return keepsPace(t, 30*time.Second) })
}

// keepsPace tells what of the pace was not kept over so long a time.
func keepsPace(t *testing.T, length time.Duration) (fault string) {
	t.Helper()
	s, err := scenarios.Parse("pace.yaml", []byte(fmt.Sprintf(fastPace, length)))
	require.NoError(t, err)
	meter := startMeter()
	record, err := run.Run(context.Background(), run.Plan{Scenario: s, On: run.Embedded, Out: t.TempDir(), Command: []string{"loadgen"}})
	meter.end()
	require.NoError(t, err)
	sum := record.Summary
	if sum.Attempts != sum.OkAttempts+sum.Throttled+sum.Failed || sum.Scheduled != sum.Sent+sum.Dropped || sum.Throttled+sum.Failed > 0 {
		t.Fatalf("the books do not close, or something failed: %v %+v", sum.Reasons, sum)
	}
	each, sent := costOf(record, meter)
	served := sum.Phases[0].Served
	t.Logf("%s: served %.0f/s of %.0f/s; %d attempts at %v of CPU each, on both sides (aim %v); lag p50 %v µs, p99 %v µs",
		sum.Validity, served, sum.Phases[0].Offered, sent, each, paceAim, microsOf(sum.Lag.P50), microsOf(sum.Lag.P99))
	switch limited := len(sum.ClientLimited) > 0; {
	case each > paceMost:
		return fmt.Sprintf("an operation costs %v of CPU on both sides, at most %v is allowed", each, paceMost)
	case limited:
		bare := bareRate(t)
		t.Logf("a bare net/http client, flat out: %.0f gets/s", bare)
		if bare >= bareEnough {
			return fmt.Sprintf("limited by the client (%v) where a bare one sends %.0f/s", sum.ClientLimited, bare)
		}
		return ""
	case served < paceServed:
		return fmt.Sprintf("%.0f/s were served, without the label; at least %d/s expected", served, paceServed)
	default:
		return ""
	}
}

// microsOf returns a quantile, -1 where there is none.
func microsOf(micros *int64) int64 {
	if micros == nil {
		return -1
	}
	return *micros
}

// meter notes ten times a second how much of the processors this process, both
// sides of the wire, has used.
type meter struct {
	stop    chan struct{}
	working sync.WaitGroup
	at      []time.Time
	used    []time.Duration
}

func startMeter() *meter {
	m := &meter{stop: make(chan struct{})}
	m.working.Go(func() {
		ticks := time.NewTicker(100 * time.Millisecond)
		defer ticks.Stop()
		for {
			m.at, m.used = append(m.at, time.Now()), append(m.used, usedCPU())
			select {
			case <-ticks.C:
			case <-m.stop:
				return
			}
		}
	})
	return m
}

func (m *meter) end() {
	close(m.stop)
	m.working.Wait()
}

// by returns what had been used by an instant, in proportion between two notes.
func (m *meter) by(at time.Time) time.Duration {
	i := min(max(sort.Search(len(m.at), func(i int) bool { return m.at[i].After(at) }), 1), len(m.at)-1)
	part := float64(at.Sub(m.at[i-1])) / float64(m.at[i].Sub(m.at[i-1]))
	return m.used[i-1] + time.Duration(part*float64(m.used[i]-m.used[i-1]))
}

// costOf returns what an attempt cost in the whole seconds of the measured phase,
// the first and the last excepted, and how many were made in them.
func costOf(record *results.Record, m *meter) (each time.Duration, sent int64) {
	measured := record.Phases[slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })]
	from, to := int64(measured.Begin/time.Second)+2, int64(measured.End/time.Second)-1
	for _, interval := range record.Intervals {
		if interval.Second >= from && interval.Second < to {
			sent += interval.Attempts
		}
	}
	instant := func(second int64) time.Time {
		return record.Manifest.Started.Add(time.Duration(second) * time.Second)
	}
	used := m.by(instant(to)) - m.by(instant(from))
	return used / time.Duration(max(sent, 1)), sent
}

// usedCPU returns what this process has used of the processors.
func usedCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// bareRate returns how many gets per second a bare net/http client sends in two seconds, over 32 connections, to an
// engine like that of a run.
func bareRate(t *testing.T) float64 {
	t.Helper()
	const connections, length, row = 32, 2 * time.Second, "/races/list(PartitionKey='team101',RowKey='1')"
	s := newService(t, model.Off, 0)
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections, DisableCompression: true}}
	t.Cleanup(client.CloseIdleConnections)
	send := func(method, path, body string) int {
		request, err := http.NewRequest(method, strings.TrimSuffix(s.url, "/races")+path, strings.NewReader(body))
		if !assert.NoError(t, err) {
			return 0
		}
		date := time.Now().UTC().Format(http.TimeFormat)
		request.Header = http.Header{"X-Ms-Date": {date}, "X-Ms-Version": {"2019-02-02"}, "Accept": {"application/json;odata=minimalmetadata"},
			"Content-Type": {"application/json"}, "Authorization": {resttest.Key{Account: "races", Secret: planted}.Lite(date, path)}}
		reply, err := client.Do(request)
		if !assert.NoError(t, err) {
			return 0
		}
		defer reply.Body.Close()
		_, err = io.Copy(io.Discard, reply.Body)
		assert.NoError(t, err)
		return reply.StatusCode
	}
	require.Equal(t, 201, send("POST", "/races/Tables", `{"TableName":"list"}`), "the table")
	require.Equal(t, 204, send("PUT", row, `{"Number":1}`), "the row")
	var ok, refused atomic.Int64
	var working sync.WaitGroup
	began := time.Now()
	for range connections {
		working.Go(func() {
			for time.Since(began) < length {
				if send("GET", row, "") == 200 {
					ok.Add(1)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	working.Wait()
	require.Zero(t, refused.Load(), "reads that failed")
	return float64(ok.Load()) / time.Since(began).Seconds()
}
