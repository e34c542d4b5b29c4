//go:build ci && linux && !race

package serve_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

// The size of the attack, and what the server may make of it.
const (
	stalledBodies    = 100
	stalledLength    = 4_000_000
	idleConnections  = 5000
	mostResident     = 500 << 20
	givenBackWithin  = 10 * time.Second
	mostOfAlone      = 3
	honest           = 3
	measured         = 1500 * time.Millisecond
	descriptorsSpare = 500
)

// One hostile client takes neither the memory of the machine nor the time of others.
func TestHostileClientsAreBounded(t *testing.T) {
	if resttest.ChildOf() != "" { // so that its memory is the server's alone
		serveForParent(t, serve.Options{Profile: "off"})
		return
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Max < idleConnections+stalledBodies+descriptorsSpare {
		t.Skipf("a process may have %d descriptors, %v: too few for %d connections", files.Max, err, idleConnections)
	}
	v := startVictim(t)
	var warm []time.Duration
	v.measure(&warm, measured/3)
	// What others take of the machine meanwhile slows who is honest as well: in one of three
	// tries it has to be seen that the attack does not.
	fair := false
	for try := 0; try < 3 && !fair; try++ {
		alone, attacked := v.besieged()
		ratio := float64(attacked) / float64(alone)
		t.Logf("p50 %v alone, %v under attack: %.2f", alone, attacked, ratio)
		fair = ratio <= mostOfAlone
	}
	assert.Truef(t, fair, "p50 under attack was over %d times that alone in each of three tries", mostOfAlone)
	peak := v.resident("VmHWM")
	t.Logf("resident at most %d MB", peak>>20)
	assert.LessOrEqual(t, peak, int64(mostResident), "bytes were resident")
}

// besieged measures honest clients alone and under attack, in two rounds that take turns, and
// returns the median of each. What the attack takes of memory has to be given back.
func (v *victim) besieged() (p50Alone, p50Attacked time.Duration) {
	v.t.Helper()
	var alone, attacked []time.Duration
	for round := range 2 {
		v.measure(&alone, measured)
		before := v.resident("VmRSS")
		attackers := v.attack()
		v.measure(&attacked, measured)
		during := v.resident("VmRSS")
		for _, c := range attackers {
			_ = c.Close()
		}
		ended := time.Now()
		after := v.resident("VmRSS")
		for after > before+during/8 && time.Since(ended) < givenBackWithin {
			v.measure(&alone, measured/5)
			after = v.resident("VmRSS")
		}
		v.t.Logf("round %d: resident %d MB before, %d MB under attack, %d MB %v after its end", round,
			before>>20, during>>20, after>>20, time.Since(ended).Round(time.Millisecond))
		assert.Truef(v.t, after <= before+during/8,
			"%d MB are resident %v after the attack; want about the %d MB of before", after>>20, givenBackWithin, before>>20)
	}
	return median(alone), median(attacked)
}

func median(of []time.Duration) time.Duration {
	slices.Sort(of)
	return of[len(of)/2]
}

// victim is a service in a process of its own, and its honest clients.
type victim struct {
	t       *testing.T
	process int
	table   *url.URL
	clients []*resttest.Client
}

func startVictim(t *testing.T) *victim {
	t.Helper()
	child := resttest.StartChild(t, "victim")
	connection := child.Line()
	v := &victim{t: t, process: child.Process.Pid}
	for range honest {
		v.clients = append(v.clients, resttest.Dial(t, connection))
	}
	v.clients[0].Must(entity.CreateTable, "Races", "", "")
	v.clients[0].Must(entity.Insert, "Races", "2011", "winner")
	_, where, _ := strings.Cut(connection, "TableEndpoint=")
	where, _, _ = strings.Cut(where, ";")
	v.table = must(url.Parse(where + "/Races"))(t)
	return v
}

// measure adds the times of requests that honest clients send for so long, each one
// after the other: an insert to three gets.
func (v *victim) measure(into *[]time.Duration, lasts time.Duration) {
	v.t.Helper()
	var mu sync.Mutex
	var group sync.WaitGroup
	end := time.Now().Add(lasts)
	for i, c := range v.clients {
		group.Go(func() {
			var took []time.Duration
			for began := time.Now(); began.Before(end); began = time.Now() {
				verb, partition, row := entity.Get, "2011", "winner"
				if len(took)%4 == 0 {
					verb, partition, row = entity.Insert, fmt.Sprint("p", i), fmt.Sprint(began.UnixNano())
				}
				got := c.Try(verb, "Races", partition, row)
				assert.Truef(v.t, got.Code == entity.OK && got.Status != 0, "%v = %+v; want success, whatever others do", verb, got)
				took = append(took, time.Since(began))
				time.Sleep(2 * time.Millisecond) // to leave the machine some rest
			}
			mu.Lock()
			defer mu.Unlock()
			*into = append(*into, took...)
		})
	}
	group.Wait()
}

// attack opens idle connections and sends bodies that stop a byte before their end.
func (v *victim) attack() (attackers []net.Conn) {
	v.t.Helper()
	dial := func() net.Conn {
		c := must(net.Dial("tcp", v.table.Host))(v.t)
		attackers = append(attackers, c)
		return c
	}
	for range idleConnections {
		must(io.WriteString(dial(), "GET /devstoreaccount1/Races HTTP/1.1\r\nHost: h\r\n\r\n"))(v.t)
	}
	head := resttest.Emulator.Head(time.Now().UTC().Format(http.TimeFormat), "POST", v.table.Path,
		"Content-Type: application/json", fmt.Sprint("Content-Length: ", stalledLength))
	body := bytes.Repeat([]byte(" "), stalledLength-1)
	for range stalledBodies {
		c := dial()
		_, _ = io.WriteString(c, head)
		_, _ = c.Write(body) // its error is that it was refused
	}
	return attackers
}

// resident returns a figure of the victim's memory, in bytes.
func (v *victim) resident(name string) int64 {
	v.t.Helper()
	status := must(os.ReadFile(fmt.Sprintf("/proc/%d/status", v.process)))(v.t)
	_, rest, _ := strings.Cut(string(status), name+":")
	return must(strconv.ParseInt(strings.Fields(rest)[0], 10, 64))(v.t) << 10
}
