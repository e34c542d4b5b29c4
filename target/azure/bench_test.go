//go:build unix

package azure_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

// benchServer names the variable that makes the test binary a server.
const benchServer = "LOADGEN_AZURE_BENCH_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(benchServer) != "" {
		serveCanned()
		return
	}
	os.Exit(m.Run())
}

// serveCanned answers inserts and gets with the right bytes until its standard
// input ends, and says first where.
func serveCanned() {
	entityBody := []byte(cannedEntity())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr())
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		header := w.Header()
		header["ETag"] = []string{`W/"datetime'2026-11-20T11%3A48%3A20.4827041Z'"`}
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		header["Content-Type"] = []string{"application/json;odata=minimalmetadata;streaming=true;charset=utf-8"}
		w.Write(entityBody)
	}))
	io.Copy(io.Discard, os.Stdin)
}

// cannedProperties make an entity of about 1 KB.
func cannedProperties() []entity.Property {
	properties := []entity.Property{
		{Name: "Age", Value: entity.Int32(55)}, {Name: "Bib", Value: entity.Int64(1234)},
		{Name: "Seconds", Value: entity.Double(14712.5)}, {Name: "Finished", Value: entity.Boolean(true)},
		{Name: "Chip", Value: entity.GUID([16]byte{1, 2, 3})}, {Name: "Born", Value: entity.DateTime(630822816000000000)},
	}
	for i := range 6 {
		properties = append(properties, entity.Property{Name: fmt.Sprintf("Split%d", i), Value: entity.String(strings.Repeat("x", 80))})
	}
	return properties
}

func cannedEntity() string {
	return `{"odata.metadata":"http://127.0.0.1/races/$metadata#Runners/@Element","odata.etag":"W/\"datetime'2026-11-20T11%3A48%3A20.4827041Z'\"",` +
		`"PartitionKey":"NYC 2011","RowKey":"1","Timestamp":"2026-11-20T11:48:20.4827041Z","Age":55,"Bib@odata.type":"Edm.Int64","Bib":"1234","Seconds":14712.5,` +
		`"Finished":true,"Chip@odata.type":"Edm.Guid","Chip":"01020300-0000-0000-0000-000000000000","Born@odata.type":"Edm.DateTime","Born":"2000-01-01T00:00:00Z"` +
		strings.Repeat(`,"Split`+strings.Repeat("y", 10)+`":"`+strings.Repeat("x", 80)+`"`, 1) +
		`,"A":"` + strings.Repeat("x", 200) + `","B":"` + strings.Repeat("x", 200) + `"}`
}

// startCanned starts this binary as a server in another process, so that its
// CPU is not counted, and returns its address.
func startCanned(b testing.TB) string {
	b.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), benchServer+"=1")
	stdin, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		stdin.Close()
		command.Wait()
	})
	address, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// processCPU is the time on a processor that this process has used.
func processCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

const (
	benchConnections = 32
	benchRequests    = 8000
	benchPairs       = 10
)

// flatOut has 32 goroutines perform so many requests between them.
func flatOut(perform func(number uint64)) {
	var next atomic.Uint64
	var working sync.WaitGroup
	for range benchConnections {
		working.Go(func() {
			for number := next.Add(1); number <= benchRequests; number = next.Add(1) {
				perform(number)
			}
		})
	}
	working.Wait()
}

// sentBy returns the request that a target sends for an operation.
func sentBy(b testing.TB, op *target.Operation) (request *http.Request, body []byte) {
	server := serve(b, always(created))
	open(b, azure.Options{Endpoint: endpointAt(b, server.url())}).Do(context.Background(), op)
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(server.requests()[0])))
	if err != nil {
		b.Fatal(err)
	}
	if body, err = io.ReadAll(request.Body); err != nil {
		b.Fatal(err)
	}
	request.Header.Del("Content-Length")
	return request, body
}

// drivers are ways to send an operation 8,000 times.
func drivers(b testing.TB, address string, op target.Operation) map[string]func() {
	wall := clock.NewReal()
	ours := open(b, azure.Options{Endpoint: endpointAt(b, "http://"+address+"/races"), Connections: benchConnections, Clock: wall})
	request, body := sentBy(b, &op)
	url := "http://" + address + request.RequestURI
	bare := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchConnections, DisableCompression: true}}
	return map[string]func(){
		"ours": func() {
			flatOut(func(number uint64) {
				mine := op
				mine.Number = number
				if got := ours.Do(context.Background(), &mine); got.Class(target.Expected{}) != results.Ok {
					b.Errorf("Do = %+v; want a success", got)
				}
			})
		},
		"bare": func() {
			flatOut(func(uint64) {
				var content io.Reader
				if len(body) > 0 {
					content = bytes.NewReader(body)
				}
				sent, err := http.NewRequest(request.Method, url, content)
				if err != nil {
					b.Error(err)
					return
				}
				sent.Header = request.Header
				reply, err := bare.Do(sent)
				if err != nil {
					b.Error(err)
					return
				}
				io.Copy(io.Discard, reply.Body)
				reply.Body.Close()
			})
		},
		"vegeta": func() {
			attacker := vegeta.NewAttacker(vegeta.Workers(benchConnections), vegeta.MaxWorkers(benchConnections),
				vegeta.Connections(benchConnections), vegeta.HTTP2(false))
			hit := vegeta.Target{Method: request.Method, URL: url, Body: body, Header: request.Header}
			answered := 0
			for result := range attacker.Attack(vegeta.NewStaticTargeter(hit), vegeta.Rate{}, 0, "") {
				if answered++; answered == benchRequests {
					attacker.Stop()
				}
				if result.Code/100 != 2 {
					b.Errorf("vegeta: %d %s", result.Code, result.Error)
				}
			}
		},
	}
}

// drivenBy are the drivers in the order in which they are told.
var drivenBy = []string{"ours", "bare", "vegeta"}

// clientCPU is what a request costs this process on the processor, in µs, by
// driver and round. Each round has all three drivers, one after another.
type clientCPU map[string][]float64

func measureClients(b testing.TB, op target.Operation) clientCPU {
	senders := drivers(b, startCanned(b), op)
	for _, name := range drivenBy {
		senders[name]() // warm
	}
	costs := clientCPU{}
	for round := range benchPairs {
		for i := range drivenBy {
			name := drivenBy[(round+i)%len(drivenBy)]
			before := processCPU()
			senders[name]()
			costs[name] = append(costs[name], float64((processCPU()-before).Nanoseconds())/1000/benchRequests)
		}
	}
	return costs
}

// against returns the median ratio of what ours costs to what another does.
func (c clientCPU) against(name string) float64 {
	var ratios []float64
	for i := range c["ours"] {
		ratios = append(ratios, c["ours"][i]/c[name][i])
	}
	return median(ratios)
}

// ordinary are the operations whose cost is measured.
func ordinary() map[string]target.Operation {
	insert := single(entity.Insert, "1", entity.Match{})
	insert.Change.Properties = cannedProperties()
	return map[string]target.Operation{"insert": insert, "get": get("1")}
}

// BenchmarkClientCPU compares what a request costs this process on the
// processor: by Do, by a bare http.Client that is given the bytes, and by
// vegeta. Medians of 10 rounds are reported, of the ratios too. Run it with
// -benchtime=1x.
func BenchmarkClientCPU(b *testing.B) {
	for name, op := range ordinary() {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				costs := measureClients(b, op)
				for _, driver := range drivenBy {
					b.ReportMetric(median(costs[driver]), driver+"-µs/req")
				}
				b.ReportMetric(costs.against("bare"), "ours/bare")
				b.ReportMetric(costs.against("vegeta"), "ours/vegeta")
			}
		})
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// BenchmarkDo shows what an attempt allocates beside what the other side of a
// connection in memory does.
func BenchmarkDo(b *testing.B) {
	insert := single(entity.Insert, "1", entity.Match{})
	insert.Change.Properties = cannedProperties()
	for _, row := range []struct {
		name, reply string
		op          target.Operation
	}{
		{"insert", created, insert},
		{"get", framed("HTTP/1.1 200 OK\nContent-Type: application/json\n\n"+cannedEntity(), false), get("1")},
	} {
		b.Run(row.name, func(b *testing.B) {
			n := &network{answer: func(int, *http.Request) (string, bool) { return row.reply, true }}
			subject := open(b, azure.Options{Endpoint: endpointAt(b, "http://127.0.0.1/races")})
			n.join(b, subject)
			b.ReportAllocs()
			for b.Loop() {
				if got := subject.Do(context.Background(), &row.op); got.Class(target.Expected{}) != results.Ok {
					b.Fatalf("Do = %+v; want a success", got)
				}
			}
		})
	}
}
