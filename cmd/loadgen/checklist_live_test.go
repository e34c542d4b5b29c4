//go:build live && unix

package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
)

// The wrong side of the checklist beside the right one, over HTTP: figures for
// docs/development/patterns.md, and no gate but that the books close.
func TestLiveWrongSideOfTheChecklist(t *testing.T) {
	t.Logf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	t.Run("connections", func(t *testing.T) {
		c := openCounter(t, model.Documented)
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
		c := openCounter(t, model.Documented)
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
	c := openCounter(t, model.Documented)
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
	c := openCounter(t, model.Documented)
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
			request := signed(t, c.url, "PUT", fmt.Sprintf("/%s/list(PartitionKey='n',RowKey='%d')", account, n), `{"Number":1}`)
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
