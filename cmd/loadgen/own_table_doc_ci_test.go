//go:build ci

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tutorial's commands are run, in its order, and print what it shows.
func TestOwnTablePageShowsWhatTheCommandsPrint(t *testing.T) {
	leftOutWhenShort(t)
	text, err := os.ReadFile(ownTablePage)
	if err != nil {
		t.Fatal(err)
	}
	scenario, err := os.ReadFile("../../docs/fleet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(ownTablePage)
	if err != nil {
		t.Fatal(err)
	}
	page, code := string(text), codeOk
	rows := make(map[string][]byte)
	for _, name := range []string{"race.csv.gz", "race.yaml"} {
		if rows[name], err = os.ReadFile("../../docs/" + name); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(t.TempDir())
	for name, content := range rows {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, block := range blocksOf(page, "console") {
		renewed := ""
		for _, c := range commandsOf(block) {
			var output bytes.Buffer
			if words := wordsOf(c.typed); c.typed == "echo $?" {
				output.WriteString(strconv.Itoa(code))
			} else {
				code = execute(context.Background(), undrawn(words[1:]), strings.NewReader(""), &output, &output)
			}
			lines := strings.Split(strings.TrimSuffix(output.String(), "\n"), "\n")
			if !shows(c.shown, lines) && !*rewrite {
				t.Errorf("docs/your-own-table.md differs from what `%s` prints (-page +printed):\n%s", c.typed, cmp.Diff(c.shown, lines))
			}
			renewed += "$ " + c.typed + "\n" + strings.Join(renew(c.shown, lines), "\n") + "\n"
			if strings.HasPrefix(c.typed, "loadgen scenarios init ") {
				if err := os.WriteFile("fleet.yaml", scenario, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		page = strings.Replace(page, "```console\n"+block, "```console\n"+renewed, 1)
	}
	if *rewrite {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
