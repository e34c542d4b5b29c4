package doctor_test

import (
	"context"
	"fmt"
	"os"

	"loadgen/engine/clock"
	"loadgen/scenarios/doctor"
)

// A diagnosis that was ended before it began: all that it would have looked at is told.
func Example() {
	o := doctor.Options{Workers: 2_000_000, Folder: "results", Clock: clock.NewReal()}
	fmt.Println(o.Validate())
	o.Workers = 256
	fmt.Println(o.Validate())

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	fmt.Println(doctor.Diagnose(ended, o, os.Stderr).Verdict)
	// Output:
	// [workers: expected 1 to 100,000]
	// []
	// 0 of 9 checks passed, none failed; not tried: clock, memory, files, ports, folder, pacing, ceiling, books, stall
}
