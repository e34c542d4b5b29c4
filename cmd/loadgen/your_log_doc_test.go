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

// From a folder of logs to a verdict: the page's commands are run, in its order, and print
// what it shows.
func TestYourLogPageShowsWhatTheCommandsPrint(t *testing.T) {
	checkPage(t, "your-log.md", "your-log.log.gz", "your-log.yaml")
}

// checkPage runs what the console blocks of a page have typed, in a folder that holds
// these files of docs; what `scenarios init` makes of one gives way to it. With -rewrite
// the page is written anew.
func checkPage(t *testing.T, name string, files ...string) {
	t.Helper()
	path, err := filepath.Abs("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	held := make(map[string][]byte)
	for _, file := range append(files, name) {
		if held[file], err = os.ReadFile("../../docs/" + file); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(t.TempDir())
	for _, file := range files {
		if err := os.WriteFile(file, held[file], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, code := string(held[name]), codeOk
	for _, block := range blocksOf(page, "console") {
		renewed := ""
		for _, c := range commandsOf(block) {
			words := wordsOf(c.typed)
			made := ""
			if strings.HasPrefix(c.typed, "loadgen scenarios init ") {
				made = words[3]
				_ = os.Remove(made)
			}
			var output bytes.Buffer
			if c.typed == "echo $?" {
				output.WriteString(strconv.Itoa(code))
			} else {
				code = execute(context.Background(), undrawn(words[1:]), strings.NewReader(""), &output, &output)
			}
			lines := strings.Split(strings.TrimSuffix(output.String(), "\n"), "\n")
			if !shows(c.shown, lines) && !*rewrite {
				t.Errorf("docs/%s differs from what `%s` prints (-page +printed):\n%s", name, c.typed, cmp.Diff(c.shown, lines))
			}
			renewed += "$ " + c.typed + "\n" + strings.Join(renew(c.shown, lines), "\n") + "\n"
			if made != "" {
				if err := os.WriteFile(made, held[made], 0o644); err != nil {
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
