//go:build ci || long

package logs_test

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/scenarios/logs"
)

// A million lines take 6 s of CPU at most, and ten million as many as that for each, out
// of a pipe; neither needs more than 250 MB. The keys are of 300,000 partitions, a few of
// them heavy.
func TestALogOfMillionsOfLines(t *testing.T) {
	if os.Getenv("LOADGEN_LOG_VOLUME") == "" {
		// In a process of its own, whose memory is that of the log.
		alone(t)
		return
	}
	from, to := io.Pipe()
	go func() { to.CloseWithError(generate(to, volume)) }()
	files, err := logs.Open([]string{"-"}, from)
	if err != nil {
		t.Fatal(err)
	}
	told, err := logs.Tell(logs.Plan{Files: files})
	if err != nil || told.Reading.Lines != volume {
		t.Fatalf("%d lines, %v; want %d", told.Reading.Lines, err, volume)
	}
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	cpu := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	t.Logf("%d lines: %v of CPU with the lines' making, %d MB at most", volume, cpu.Round(time.Millisecond), used.Maxrss*1024/1e6)
	if most := 6 * time.Second * volume / 1e6; cpu-made(t) > most {
		t.Errorf("%v of CPU; want %v at most", cpu-made(t), most)
	}
	if used.Maxrss*1024 > 250e6 {
		t.Errorf("%d MB; want 250 at most", used.Maxrss*1024/1e6)
	}
}

// alone runs this test in a process of its own.
func alone(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	process, err := os.StartProcess(self, []string{self, "-test.run=^TestALogOfMillionsOfLines$", "-test.v"}, &os.ProcAttr{
		Env: append(os.Environ(), "LOADGEN_LOG_VOLUME=1", "GOTRACEBACK=none"), Files: []*os.File{nil, os.Stderr, os.Stderr}})
	if err != nil {
		t.Fatal(err)
	}
	state, err := process.Wait()
	if err != nil || !state.Success() {
		t.Errorf("%v, %v", state, err)
	}
}

// made is what it takes to make the lines alone.
func made(t *testing.T) time.Duration {
	t.Helper()
	cpu := func() int64 {
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			t.Fatal(err)
		}
		return used.Utime.Nano() + used.Stime.Nano()
	}
	before := cpu()
	const some = 100_000
	if err := generate(io.Discard, some); err != nil {
		t.Fatal(err)
	}
	return time.Duration((cpu() - before) * volume / some)
}

// generate writes a log of so many lines.
func generate(into io.Writer, lines int) error {
	to := bufio.NewWriterSize(into, 1<<16)
	chance := rand.New(rand.NewPCG(3, 4))
	e := accesslog.Entry{Account: "races", Status: "Success", EndToEnd: 12 * time.Millisecond, Server: 5 * time.Millisecond, Authentication: "authenticated", Requester: "races",
		RequestHeader: 212, RequestPacket: 900, ResponseHeader: 236, ResponsePacket: 1100, ContentLength: 900, Address: "10.0.0.1:4362", Version: "2019-02-02", UserAgent: "azsdk-net-Data.Tables/12.0"}
	var line []byte
	for i := range lines {
		partition := fmt.Sprintf("user-%06d", chance.IntN(300_000))
		if i%3 == 0 {
			partition = fmt.Sprintf("p%05d", int(math.Pow(1-chance.Float64(), -1/1.2)))
		}
		key := fmt.Sprintf("(PartitionKey='%s',RowKey='%09d')", partition, i)
		e.At, e.RequestID, e.ClientID = entity.TicksOf(begins)+entity.Ticks(i)*5000, fmt.Sprintf("%08x-901c-000f-1f17-2f2f1d000000", i), fmt.Sprintf("%08x-6ad4f", i)
		e.Operation, e.HTTP, e.URL, e.ObjectKey = "InsertEntity", 201, "https://races.table.core.windows.net/Runners", "/races/Runners"+key
		switch {
		case i%10 == 9:
			e.Operation, e.HTTP, e.URL, e.ObjectKey = "QueryEntities", 200, e.URL+"()?$filter=PartitionKey%20eq%20'"+partition+"'", "/races/Runners"
		case i%2 == 0:
			e.Operation, e.HTTP, e.URL = "QueryEntity", 200, e.URL+key
		}
		line = accesslog.AppendAnalytics(line[:0], &e)
		if _, err := to.Write(line); err != nil {
			return err
		}
	}
	return to.Flush()
}
