package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"loadgen/results/baseline"
	"loadgen/scenarios"
)

// committed is the folder of the baselines that are checked in.
var committed = filepath.Join("..", "..", "results", "baselines")

// A baseline is the same file, byte for byte, with one processor and with all of them,
// and wherever the machine stands: those that are checked in were written with several,
// in another time zone.
func TestBaselinesAreTheSameOnOtherMachines(t *testing.T) {
	leftOutWhenShort(t)
	processors, zone := runtime.GOMAXPROCS(1), time.Local
	time.Local = time.FixedZone("far away", 13*60*60+45*60)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(processors)
		time.Local = zone
	})
	f := &gateFlags{baselines: committed, quiet: true}
	names := f.kept()
	if len(names) < 20 {
		t.Fatalf("%d baselines are checked in; want the nightly set, 20 at least", len(names))
	}
	for _, name := range names {
		was, err := os.ReadFile(f.file(name))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := baseline.Read(was)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scenarios.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		record, err := f.virtually(context.Background(), s, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		made, err := baseline.New(record, kept.Accepted, kept.Reason)
		if err != nil {
			t.Fatal(err)
		}
		if is := made.File(); !bytes.Equal(was, is) {
			t.Errorf("%s: %d bytes that differ from those checked in, of which there are %d", name, len(is), len(was))
		}
	}
}
