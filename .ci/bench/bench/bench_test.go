package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/rest/serve"
	"loadgen/results"
	"loadgenbench/process"
)

// TestMain has the binary of the tests be the program that is measured: a table service, the bare
// handler, or a help that is short.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "serve":
		served()
	case slices.Equal(os.Args[1:], []string{"-bare"}):
		if err := ServeBare(context.Background(), os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
	case slices.Equal(os.Args[1:], []string{"--help"}):
		fmt.Println("help")
	default:
		os.Exit(m.Run())
	}
}

// served is `loadgen serve`, until its input ends.
func served() {
	s, err := serve.Open(context.Background(), serve.Options{Listen: "127.0.0.1:0", Profile: "off", Quiet: true})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	fmt.Println(s.ConnectionString())
	s.Begin()
	b := make([]byte, 1)
	_, _ = os.Stdin.Read(b)
}

func program(t testing.TB) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func told(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("this system does not tell what a process uses")
	}
}

// Two rounds of servers and drivers come to figures, whichever machine it is: each operation of
// both servers and of the handler, ratios of one to the other, allocations, and the chart.
func TestMeasure(t *testing.T) {
	told(t)
	var words []string
	r, err := Measure(t.Context(), Options{Groups: []string{GroupServer, GroupDriver}, Rounds: 1, Quick: true, Program: program(t), Bare: program(t),
		Clock: clock.NewReal(), Tell: func(what string) { words = append(words, what) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{whatInsert, whatGet, whatBatch, whatPage, whatScan} {
		for _, of := range []string{ofServe, ofBare} {
			f := r.figure(Cell{GroupServer, what, busiest, of}.Name())
			if f == nil || !(f.Median > 0) || !(f.PerSecond > 0) {
				t.Errorf("%s of %s = %+v; want CPU and a rate", what, of, f)
			}
		}
		if q := r.ratio(ratioName(GroupServer, what, busiest, ofServe, ofBare)); q == nil || !(q.Median > 0) {
			t.Errorf("%s to the bare handler = %+v; want a ratio", what, q)
		}
		if f := r.figure(Cell{GroupServer, what, atHandler, ofServe}.Name()); f == nil || f.Allocations == nil || !(*f.Allocations > 0) {
			t.Errorf("%s of the handler = %+v; want allocations", what, f)
		}
	}
	for _, to := range []string{ofBareClient, ofVegeta} {
		if q := r.ratio(ratioName(GroupDriver, whatInsert, busiest, ofDriver, to)); q == nil || !(q.Median > 0) {
			t.Errorf("the driver to %s = %+v; want a ratio", to, q)
		}
	}
	if r.Taken.Got <= 0 || r.Taken.Got > 1 || len(words) == 0 {
		t.Errorf("taken = %+v, told %q; want a share and words", r.Taken, words)
	}
	folder := results.Dir(t.TempDir())
	if err := r.Keep(folder); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(string(folder), File))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	again, err := Read(file)
	if err != nil || len(again.Figures) != len(r.Figures) || len(again.Ratios) != len(r.Ratios) {
		t.Errorf("Read = %d figures, %v; want the %d that were kept", len(again.Figures), err, len(r.Figures))
	}
}

// The simulator and the engine are measured in this process.
func TestMeasureInProcess(t *testing.T) {
	told(t)
	b := &bench{Options: Options{Rounds: 1, Quick: true, Clock: clock.NewReal()}.filled(), report: new(Report)}
	for _, one := range simulations {
		c := simulatedCell(t, b, one)
		got, err := c.run(t.Context())
		if err != nil || got.operations < 100 || got.cpu <= 0 || got.allocations <= 0 {
			t.Errorf("%s = %+v, %v; want attempts and CPU", one.at, got, err)
		}
	}
	f, err := b.fill(t.Context(), 3000, entityBytes)
	if err != nil {
		t.Fatal(err)
	}
	if each := float64(f.live) / 3000; each < 700 || each > 2000 {
		t.Errorf("live memory of an entity of 1 KiB = %.0f B; want about as much", each)
	}
	for _, what := range []string{whatUpsert, whatPointRead, whatScanPage} {
		c := b.asking(f, what, 0, 2, "3,000")
		if got, err := c.run(t.Context()); err != nil || got.operations == 0 {
			t.Errorf("%s = %+v, %v; want operations", what, got, err)
		}
	}
}

// A whole load is measured at each number of processors, which is as it was afterwards.
func TestMeasureByProcessors(t *testing.T) {
	told(t)
	b := &bench{Options: Options{Rounds: 1, Quick: true, Program: program(t), Bare: program(t), Clock: clock.NewReal()}.filled(), report: new(Report)}
	s, err := b.startBare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	before, cells := runtime.GOMAXPROCS(0), b.unpacedLoads(s)
	for i, n := range processors {
		got, err := cells[i].run(t.Context())
		if err != nil || cells[i].At != processorsName(n) || got.operations != sentQuick || got.cpu <= 0 {
			t.Errorf("%s = %+v, %v; want %d operations and their CPU", cells[i].At, got, err, sentQuick)
		}
		if len(got.more) != 1 || got.more[0].what != whatWaits || got.more[0].value < 0 || got.more[0].value > 1e6 {
			t.Errorf("%s tells %+v; want what an operation waits for locks", cells[i].At, got.more)
		}
		if now := runtime.GOMAXPROCS(0); now != before {
			t.Errorf("GOMAXPROCS is %d after %s; want the %d of before", now, cells[i].At, before)
		}
	}
}

// simulatedCell is a dimension for a moment of virtual time.
func simulatedCell(t *testing.T, b *bench, one simulated) cell {
	t.Helper()
	one.seconds = 1
	c, err := b.simulatedCell(&one, 1)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Whoever differs in who does it alone stands in one family, in whatever number.
func TestFamilies(t *testing.T) {
	of := func(what, of string) cell { return cell{Cell: Cell{GroupServer, what, "", of}} }
	got := families([]cell{of("a", "x"), of("a", "y"), of("b", "x"), of("c", "x"), of("c", "y")})
	if fmt.Sprint(got) != "[[0 1] [2] [3 4]]" {
		t.Errorf("families = %v", got)
	}
}

// Each member of a family has every place in the order of turns equally often, and a slow one has
// one turn a round.
func TestTurnsRotate(t *testing.T) {
	var order []string
	by := func(of string, slow bool) cell {
		return cell{Cell: Cell{GroupServer, "a", "", of}, slow: slow, run: func(context.Context) (reading, error) {
			order = append(order, of)
			return reading{operations: 1, cpu: time.Microsecond, lasted: time.Millisecond}, nil
		}}
	}
	b := &bench{Options: Options{Rounds: 2, Quick: true, Clock: clock.NewReal()}.filled(), report: new(Report)}
	if err := b.rounds(t.Context(), []cell{by("x", false), by("y", false), by("z", true)}); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(order, ""), "xyzxyxy"+"yzxyxyx"; got != want {
		t.Errorf("order = %s; want %s", got, want)
	}
	if f := b.report.figure("server/a/x"); f == nil || len(f.Rounds) != 2 || f.Median != 1 || math.Abs(f.PerSecond-1000) > 1e-9 {
		t.Errorf("figure = %+v; want two rounds of 1 µs", f)
	}
}

// A peer that fails is told of, with what it came to until then; what is this tool's ends the
// measuring.
func TestPeerThatFails(t *testing.T) {
	fails := errors.New("reset")
	run := func(after int) func(context.Context) (reading, error) {
		return func(context.Context) (reading, error) {
			if after--; after < 0 {
				return reading{}, fails
			}
			return reading{operations: 1, cpu: time.Microsecond, lasted: time.Millisecond}, nil
		}
	}
	peer := Cell{GroupServer, "a", "", ofAzurite}
	b := &bench{Options: Options{Rounds: 3, Quick: true, Clock: clock.NewReal()}.filled(), report: new(Report)}
	if err := b.rounds(t.Context(), []cell{{Cell: Cell{GroupServer, "a", "", ofServe}, run: run(100)}, {Cell: peer, slow: true, run: run(1)}}); err != nil {
		t.Fatal(err)
	}
	if f := b.report.figure(peer.Name()); f == nil || len(f.Rounds) != 1 || len(b.report.Notes) != 1 || len(b.report.figure("server/a/serve").Rounds) != 3 {
		t.Errorf("%+v, notes %q; want one round of the peer, three of serve, and a note", f, b.report.Notes)
	}
	if err := b.rounds(t.Context(), []cell{{Cell: Cell{GroupServer, "a", "", ofServe}, run: run(1)}}); !errors.Is(err, fails) {
		t.Errorf("rounds = %v; want %v", err, fails)
	}
}

// A server that is not there, and one that ends at once, are told in a line.
func TestServerThatDoesNotStart(t *testing.T) {
	for _, name := range []string{filepath.Join(t.TempDir(), "nothing"), "true"} {
		o := Options{Program: name, Clock: clock.NewReal()}.filled()
		if _, err := o.startServe(t.Context()); err == nil || strings.Contains(strings.TrimSpace(err.Error()), "\n") {
			t.Errorf("%s: startServe = %v; want one line", name, err)
		}
	}
}

// Without npm, without node, without Azurite: a note says what is missing and how to have it, and
// the rest is measured.
func TestWithoutPeers(t *testing.T) {
	t.Chdir(t.TempDir())
	empty, node := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(node, "node"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ path, want string }{{empty, "no node"}, {node, "no npm"}} {
		t.Setenv("PATH", row.path)
		_, err := findAzurite()
		if err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "npm install -g azurite") {
			t.Errorf("findAzurite = %v; want %q, and how to have it", err, row.want)
		}
	}
}

// One core is told of, and the engine is then asked by one goroutine alone.
func TestOneCore(t *testing.T) {
	told(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r, err := Measure(t.Context(), Options{Groups: []string{GroupSimulator}, Rounds: 1, Quick: true, Program: program(t), Bare: program(t), Clock: clock.NewReal()})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "One core") || len(goroutines()) != 0 {
		t.Errorf("notes = %q, goroutines %v; want one on the one core, and none", r.Notes, goroutines())
	}
}

// A machine that others keep busy is told of, by how much was taken.
func TestTakenSays(t *testing.T) {
	others := 1.25
	busy := Taken{Got: .4, Least: .1, Others: &others}
	for _, want := range []string{"2 cores", "40.0%", "10.0%", "others used 1.25", "busy"} {
		if got := busy.describe(2); !strings.Contains(got, want) {
			t.Errorf("says = %q; want %q in it", got, want)
		}
	}
	quiet := Taken{Got: .99, Least: .95}
	if got := quiet.describe(2); strings.Contains(got, "busy") || strings.Contains(got, "others used") {
		t.Errorf("says = %q; want a quiet machine", got)
	}
}

// A context that ends ends the measuring, and every process.
func TestMeasureEnds(t *testing.T) {
	told(t)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Measure(ctx, Options{Groups: []string{GroupServer}, Rounds: 50, Program: program(t), Bare: program(t), Clock: clock.NewReal(), Tell: func(string) { cancel() }})
	if err == nil || ctx.Err() == nil || r == nil {
		t.Errorf("Measure = %v, %v; want the context's error, and what there is", r, err)
	}
}

// Family is what ended children used, too.
func TestFamilyCountsChildren(t *testing.T) {
	told(t)
	before := process.Family()
	if _, err := process.Run(t.Context(), clock.NewReal(), program(t), "--help"); err != nil {
		t.Fatal(err)
	}
	if after := process.Family(); after <= before {
		t.Errorf("Family = %v after a child, %v before; want more", after, before)
	}
}
