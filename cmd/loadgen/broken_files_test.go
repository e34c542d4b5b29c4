package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// brokenScenarios is where the scenarios with a mistake each are, and what is said
// of them.
const brokenScenarios = "../../scenarios/testdata/broken"

// Whatever is wrong with a file, it is told with its place as an error of the input,
// and nothing is run: nothing is printed and no folder is made.
func TestBrokenFilesStartNoRun(t *testing.T) {
	leftOutWhenShort(t)
	files, err := filepath.Glob(brokenScenarios + "/*.yaml")
	if err != nil || len(files) < 100 {
		t.Fatalf("%s holds %d broken files, %v; want a hundred", brokenScenarios, len(files), err)
	}
	texts := map[string][]byte{}
	for _, file := range files {
		if texts[filepath.Base(file)], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(filepath.Join(brokenScenarios, "want.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for line := range strings.Lines(string(golden)) {
		name, _, _ := strings.Cut(line, ":")
		want[name] = append(want[name], line)
	}

	t.Chdir(t.TempDir())
	for name, text := range texts {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, file := range files {
		name := filepath.Base(file)
		// What takes another way to the same scenario is tried with some of them.
		some := i%8 == 0
		for _, verb := range []string{"simulate", "run"} {
			if verb == "run" && !some {
				continue
			}
			code, stdout, stderr := say(t, verb, name)
			if code != codeUsage || stdout != "" {
				t.Errorf("%s %s: exit code %d and %q on stdout; want %d and nothing", verb, name, code, stdout, codeUsage)
			}
			if all := "loadgen: " + strings.Join(want[name], ""); stderr != all {
				t.Errorf("%s %s: stderr has\n%s\nwant\n%s", verb, name, stderr, all)
			}
		}
		if !some {
			continue
		}
		// What is overridden is judged with the file: it does not hide what is wrong.
		if code, stdout, _ := say(t, "simulate", name, "--set", "seed=5"); code != codeUsage || stdout != "" {
			t.Errorf("simulate %s --set seed=5: exit code %d and %q on stdout; want %d and nothing", name, code, stdout, codeUsage)
		}
	}
	if left := leftIn(t, "."); len(left) != len(files) {
		t.Errorf("%d files are left of %d: %v; want nothing new", len(left), len(files), left)
	}
}
