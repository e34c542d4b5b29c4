//go:build live && unix

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
	"loadgen/scenarios"
)

// checklistModel is what the wrong side of the checklist is measured on: the documents'
// targets, 4 ms to read, 9 ms to write.
const checklistModel = `
name: checklist
seed: 7
retry: none
model: {profile: documented}
attributes: {n: {sequence: 1}}
design: {partition_key: "{n}", row_key: x}
phases:
  - {name: load, load: {entities: 1}}
`

// counter is an embedded engine behind a socket of this machine, and what was sent to
// it.
type counter struct {
	t      *testing.T
	engine *engine.Engine
	secret *wire.Secret
	url    string
	sent   atomic.Int64
	dialed atomic.Int64
}

func openCounter(t *testing.T) *counter {
	t.Helper()
	s, err := scenarios.Parse("checklist.yaml", []byte(checklistModel))
	require.NoError(t, err)
	clk := clock.NewReal()
	c := &counter{t: t}
	c.engine, c.secret = bareEngine(t, s, clk)
	handler, err := rest.New(rest.Options{Engine: c.engine, Clock: clk, Calendar: clk,
		Accounts: []rest.Account{{Name: account, Secret: c.secret}}})
	require.NoError(t, err)
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: handler})
	require.NoError(t, err)
	t.Cleanup(func() { server.Close(context.Background()) })
	c.url = server.URL()
	client := c.client(1, true)
	if status, _ := c.send(client, "POST", "/"+account+"/Tables", `{"TableName":"list"}`, nil); status != 201 {
		t.Fatalf("making the table = %d", status)
	}
	return c
}

// client returns a bare client of so many connections at most, 0 being any number.
func (c *counter) client(connections int, noDelay bool) *http.Client {
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c.dialed.Add(1)
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if tcp, is := conn.(*net.TCPConn); is {
			tcp.SetNoDelay(noDelay)
		}
		return conn, err
	}
	transport := &http.Transport{DialContext: dial, MaxConnsPerHost: connections, MaxIdleConnsPerHost: 1024, DisableCompression: true}
	c.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// send makes one request and returns its status and body, which a header may change.
func (c *counter) send(client *http.Client, method, path, body string, header map[string]string) (int, []byte) {
	request := signed(c.t, c.secret, c.url, method, path, body)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	c.sent.Add(1)
	reply, err := client.Do(request)
	if err != nil {
		c.t.Error(err)
		return 0, nil
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	assert.NoError(c.t, err)
	return reply.StatusCode, text
}

// closed fails where the engine has not counted what was sent: the only gate.
func (c *counter) closed(what string) {
	c.t.Helper()
	if counted := c.engine.Counts(); counted.Requests != c.sent.Load() || counted.Failed != 0 {
		c.t.Errorf("%s: %d requests were sent, the engine counted %+v; want the same, and none failed", what, c.sent.Load(), counted)
	}
}

// figures are what a number of tasks that send flat out came to.
type figures struct {
	ok, throttled int64
	dialed        int64
	rate          float64
	p50, p99      time.Duration
}

func (f *figures) String() string {
	return fmt.Sprintf("%.0f/s, %.1f %% throttled, p50 %v, p99 %v, %d connections opened",
		f.rate, 100*float64(f.throttled)/float64(max(1, f.ok+f.throttled)), f.p50.Round(100*time.Microsecond), f.p99.Round(100*time.Microsecond), f.dialed)
}

// flatOut has so many tasks send one request after another for two seconds.
func (c *counter) flatOut(client *http.Client, tasks int, request func(task int) (method, path, body string)) *figures {
	const length = 2 * time.Second
	dialed := c.dialed.Load()
	times := make([][]time.Duration, tasks)
	var ok, throttled atomic.Int64
	var working sync.WaitGroup
	began := time.Now()
	for task := range tasks {
		working.Go(func() {
			method, path, body := request(task)
			for time.Since(began) < length {
				start := time.Now()
				switch status, _ := c.send(client, method, path, body, nil); {
				case status >= 200 && status < 300:
					ok.Add(1)
				case status == 503 || status == 500:
					throttled.Add(1)
				default:
					c.t.Errorf("%s %s = %d", method, path, status)
					return
				}
				times[task] = append(times[task], time.Since(start))
			}
		})
	}
	working.Wait()
	f := &figures{ok: ok.Load(), throttled: throttled.Load(), dialed: c.dialed.Load() - dialed}
	f.rate = float64(f.ok) / time.Since(began).Seconds()
	all := slices.Concat(times...)
	slices.Sort(all)
	if len(all) > 0 {
		f.p50, f.p99 = all[len(all)/2], all[len(all)*99/100]
	}
	return f
}

// The wrong side of the checklist beside the right one, over HTTP: figures for
// docs/patterns.md, and no gate but that the books close.
func TestLiveWrongSideOfTheChecklist(t *testing.T) {
	t.Logf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	t.Run("connections", func(t *testing.T) {
		c := openCounter(t)
		row := func(task int) string {
			return fmt.Sprintf("/%s/list(PartitionKey='p%d',RowKey='r')", account, task)
		}
		for task := range 64 {
			c.send(c.client(1, true), "PUT", row(task), `{"Number":1}`, nil)
		}
		get := func(task int) (string, string, string) { return "GET", row(task), "" }
		for _, connections := range []int{2, 64} {
			t.Logf("64 tasks over %d connections, gets: %v", connections, c.flatOut(c.client(connections, true), 64, get))
		}
		c.closed("connections")
	})
	t.Run("parallelism", func(t *testing.T) {
		c := openCounter(t)
		merge := func(task int) (string, string, string) {
			return "PUT", fmt.Sprintf("/%s/list(PartitionKey='p',RowKey='%d')", account, task), `{"Number":1}`
		}
		for _, tasks := range []int{16, 512} {
			t.Logf("%d tasks to one partition, connections without a bound, upserts: %v", tasks, c.flatOut(c.client(0, true), tasks, merge))
		}
		c.closed("parallelism")
	})
	t.Run("metadata", liveMetadata)
	t.Run("Nagle", liveNagle)
	t.Run("compression", liveCompression)
}

// liveMetadata reads the same 500 entities at each level of metadata.
func liveMetadata(t *testing.T) {
	c := openCounter(t)
	client := c.client(1, true)
	const entities = 500
	for n := range entities {
		c.send(client, "PUT", fmt.Sprintf("/%s/list(PartitionKey='marathon',RowKey='%04d')", account, n),
			fmt.Sprintf(`{"Name":"John","Age":%d,"Distance":"Full","Number@odata.type":"Edm.Int64","Number":"%d","Registered@odata.type":"Edm.DateTime","Registered":"2011-11-06T09:40:00Z"}`, 20+n%50, n), nil)
	}
	for _, level := range []string{"nometadata", "minimalmetadata", "fullmetadata"} {
		const rounds = 40
		bytes, used := 0, usedCPU()
		for range rounds {
			status, text := c.send(client, "GET", "/"+account+"/list()", "", map[string]string{"Accept": "application/json;odata=" + level})
			var page struct {
				Value []map[string]any `json:"value"`
			}
			if err := json.Unmarshal(text, &page); err != nil || status != 200 || len(page.Value) != entities {
				t.Fatalf("%s: %d with %d entities, %v", level, status, len(page.Value), err)
			}
			bytes = len(text)
		}
		t.Logf("%s: %d bytes for each of %d entities, %.1f µs of CPU each, on both sides", level, bytes/entities, entities,
			float64((usedCPU()-used).Microseconds())/rounds/entities)
	}
	c.closed("metadata")
}

// liveNagle sends writes in one piece and in two, head and body, over a connection that
// does and one that does not hold small packets back.
func liveNagle(t *testing.T) {
	c := openCounter(t)
	for _, row := range []struct {
		sentence string
		noDelay  bool
		pieces   int
	}{{"TCP_NODELAY, in one piece", true, 1}, {"Nagle, in one piece", false, 1}, {"TCP_NODELAY, head and body apart", true, 2}, {"Nagle, head and body apart", false, 2}} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		require.NoError(t, err)
		conn.(*net.TCPConn).SetNoDelay(row.noDelay)
		reader := bufio.NewReader(conn)
		var times []time.Duration
		for n := range 40 {
			request := signed(t, c.secret, c.url, "PUT", fmt.Sprintf("/%s/list(PartitionKey='n',RowKey='%d')", account, n), `{"Number":1}`)
			var text bytes.Buffer
			require.NoError(t, request.Write(&text))
			at := bytes.Index(text.Bytes(), []byte("\r\n\r\n")) + 4
			parts := [][]byte{text.Bytes()}
			if row.pieces == 2 {
				parts = [][]byte{text.Bytes()[:at], text.Bytes()[at:]}
			}
			start := time.Now()
			for _, part := range parts {
				if _, err := conn.Write(part); err != nil {
					t.Fatal(err)
				}
			}
			c.sent.Add(1)
			reply, err := http.ReadResponse(reader, request)
			require.Truef(t, err == nil && reply.StatusCode == 204, "%s: %v, %v", row.sentence, reply, err)
			reply.Body.Close()
			times = append(times, time.Since(start))
		}
		conn.Close()
		slices.Sort(times)
		t.Logf("%s: upserts, p50 %v, p90 %v", row.sentence, times[len(times)/2].Round(100*time.Microsecond), times[len(times)*9/10].Round(100*time.Microsecond))
	}
	c.closed("Nagle")
}

// liveCompression compresses what a transaction of 100 entities of 1 KiB sends: text
// as it is written, and text without any order. The engine is sent none of it, for it
// takes no Content-Encoding.
func liveCompression(t *testing.T) {
	words := strings.Fields("the runner has taken part in four races over the half distance and wants a place near the start of the field")
	chance := clock.NewStream(7, "text")
	for _, kind := range []string{"words", "random letters"} {
		var body bytes.Buffer
		for n := range 100 {
			var notes strings.Builder
			for draw := chance.At(uint64(n)); notes.Len() < 900; {
				if kind == "words" {
					notes.WriteString(words[draw.IntN(len(words))] + " ")
				} else {
					notes.WriteByte(byte('!' + draw.IntN(90)))
				}
			}
			text, err := json.Marshal(map[string]any{"PartitionKey": "2011 New York City Marathon__Full", "RowKey": fmt.Sprintf("%04d__John__M__55", n), "Notes": notes.String()})
			require.NoError(t, err)
			body.Write(text)
		}
		for _, level := range []int{gzip.BestSpeed, gzip.DefaultCompression} {
			const rounds = 200
			var packed bytes.Buffer
			used := usedCPU()
			for range rounds {
				packed.Reset()
				w, err := gzip.NewWriterLevel(&packed, level)
				require.NoError(t, err)
				w.Write(body.Bytes())
				w.Close()
			}
			t.Logf("%s, gzip level %d: %d bytes become %d, for %.0f µs of CPU", kind, level, body.Len(), packed.Len(), float64((usedCPU()-used).Microseconds())/rounds)
		}
	}
}
