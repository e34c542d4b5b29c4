// Package house_test holds all code of the module to the rules of its house: who may
// import whom, how time and chance come in, how large a file and a function may be. It
// reads the sources and builds nothing. What no file may say is for .ci/words. With -tags ci
// it holds what others wrote, and is linked, to the licences that it knows.
package house_test

import (
	"flag"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var rewrite = flag.Bool("rewrite", false, "write the table of rooms of ARCHITECTURE.md anew; read the difference before committing it")

// rule is one of the rules that all code of the module keeps.
type rule struct {
	// name reads as a sentence.
	name string
	// check returns what breaks the rule, each with its place and what to write
	// instead.
	check func(*house) []string
	// broken are files that the rule has to find fault with, sound ones that
	// come near but keep it.
	broken, sound []snippet
}

// snippet is a small module of one to a few files. It needs no go.mod.
type snippet struct {
	name  string
	files map[string]string
	// fault is a part of what the rule says of it; empty where it is sound.
	fault string
}

// houseRules is every rule. A rule that nothing breaks in its own snippets
// fails [TestHouseRulesCanFail].
func houseRules() []rule {
	return slices.Concat(importRules(), pageRules(), purityRules(), shapeRules(), oneRoomRules(), figureRules(), numberRules())
}

func TestHouse(t *testing.T) {
	if *rewrite {
		writePage(t, "../../../ARCHITECTURE.md")
	}
	h, err := readHouse(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(h.rooms) < 10 {
		t.Fatalf("found %d packages in the module; want all of them: does the test run in cmd/loadgen/house?", len(h.rooms))
	}
	for _, r := range houseRules() {
		t.Run(r.name, func(t *testing.T) {
			for _, fault := range r.check(h) {
				t.Error(fault)
			}
		})
	}
}

func TestHouseRulesCanFail(t *testing.T) {
	for _, r := range houseRules() {
		t.Run(r.name, func(t *testing.T) {
			if len(r.broken) == 0 {
				t.Error("no snippet shows that the rule can fail")
			}
			for _, s := range r.broken {
				faults := checkSnippet(t, r, s)
				if len(faults) != 1 || !strings.Contains(faults[0], s.fault) {
					t.Errorf("%s: check = %q; want one fault with %q", s.name, faults, s.fault)
				}
			}
			for _, s := range r.sound {
				if faults := checkSnippet(t, r, s); len(faults) > 0 {
					t.Errorf("%s: check = %q; want no fault", s.name, faults)
				}
			}
		})
	}
}

func checkSnippet(t *testing.T, r rule, s snippet) []string {
	t.Helper()
	files := fstest.MapFS{}
	for path, text := range s.files {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	h, err := readHouse(fs.FS(files))
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return r.check(h)
}
