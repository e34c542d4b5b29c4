package main

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// asProgram, set in the environment, has this test binary be the program with the arguments in
// it, one a line.
const asProgram = "LOADGEN_AS_PROGRAM"

func TestMain(m *testing.M) {
	if typed, set := os.LookupEnv(asProgram); set {
		os.Args = append([]string{"loadgen"}, strings.Split(typed, "\n")...)
		main()
	}
	debug.SetGCPercent(400) // tests allocate much and keep little
	os.Exit(m.Run())
}
