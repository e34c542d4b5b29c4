//go:build (live || long) && unix

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"loadgen/engine/rest/resttest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// account is that of an engine which a bare client is held against.
const account = "races"

// usedCPU returns what this process has used of the processors.
func usedCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// signed returns a request that a service takes.
func signed(t *testing.T, base, method, path, body string) *http.Request {
	request, err := http.NewRequest(method, base+path, strings.NewReader(body))
	require.NoError(t, err)
	date := time.Now().UTC().Format(http.TimeFormat)
	request.Header = http.Header{"X-Ms-Date": {date}, "X-Ms-Version": {"2019-02-02"}, "Accept": {"application/json;odata=minimalmetadata"},
		"Content-Type": {"application/json"}, "Authorization": {resttest.Key{Account: account, Secret: planted}.Lite(date, path)}}
	return request
}

// counter is a service at a socket of this machine, and what was sent to it.
type counter struct {
	*service
	t            *testing.T
	sent, dialed atomic.Int64
}

// openCounter opens a service of a profile, with a table called list.
func openCounter(t *testing.T, profile string) *counter {
	t.Helper()
	c := &counter{t: t, service: newService(t, profile, 0)}
	c.url = strings.TrimSuffix(c.url, "/"+account)
	status, _ := c.send(c.client(1, true), "POST", "/"+account+"/Tables", `{"TableName":"list"}`, nil)
	require.Equal(t, 201, status, "making the table")
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
	request := signed(c.t, c.url, method, path, body)
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
