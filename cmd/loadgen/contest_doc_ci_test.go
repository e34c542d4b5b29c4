//go:build ci

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The contest of docs/usage.md prints what the page shows of it, which -rewrite renews; the
// picture beside it is heat.png of the same command.
func TestUsageShowsTheContest(t *testing.T) {
	page := pageOf(t, usagePage)
	path, err := filepath.Abs("../../" + usagePage)
	if err != nil {
		t.Fatal(err)
	}
	const prefix = "loadgen contest "
	for _, block := range blocksOf(page, "console") {
		for _, one := range commandsOf(block) {
			arguments, is := strings.CutPrefix(one.typed, prefix)
			if !is {
				continue
			}
			t.Chdir(t.TempDir())
			var stdout bytes.Buffer
			if code := execute(context.Background(), append([]string{"contest"}, wordsOf(arguments)...), strings.NewReader(""), &stdout, io.Discard); code != codeOk {
				t.Fatalf("%s: exit code %d", one.typed, code)
			}
			output := strings.Split(strings.TrimSuffix(stdout.String(), "\n"), "\n")
			if *rewrite {
				upTo := slices.IndexFunc(output, func(line string) bool { return strings.HasPrefix(line, " report ") })
				shown := "$ " + one.typed + "\n" + strings.Join(output[:upTo], "\n") + "\n" + elided + "\n"
				if err := os.WriteFile(path, []byte(strings.Replace(page, block, shown, 1)), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !shows(one.shown, output) {
				t.Errorf("%s prints\n%s\nwhich is not what the page shows", one.typed, stdout.String())
			}
			return
		}
	}
	t.Errorf("%s has no console block with %q", usagePage, prefix)
}
