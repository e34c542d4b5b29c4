package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write what commands print in docs/your-own-table.md and docs/patterns.md anew; read the difference before it is kept")

const ownTablePage = "../../docs/your-own-table.md"

// elided stands on a page for lines that are left out.
const elided = "…"

// blocksOf returns the blocks of a page that are fenced for a language.
func blocksOf(page, language string) []string {
	var blocks []string
	for _, part := range strings.Split(page, "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// command is one line that a page has typed, and the lines shown below it.
type command struct {
	typed string
	shown []string
}

// commandsOf returns what a console block has typed.
func commandsOf(block string) []command {
	var list []command
	for line := range strings.SplitSeq(strings.TrimSuffix(block, "\n"), "\n") {
		if typed, prompt := strings.CutPrefix(line, "$ "); prompt {
			list = append(list, command{typed: typed})
		} else if last := len(list) - 1; last >= 0 {
			list[last].shown = append(list[last].shown, line)
		}
	}
	return list
}

var typedWord = regexp.MustCompile(`'[^']*'|\S+`)

// wordsOf parts a command as a shell does, single quotes being all that it knows.
func wordsOf(typed string) []string {
	words := typedWord.FindAllString(typed, -1)
	for i, word := range words {
		words[i] = strings.Trim(word, "'")
	}
	return words
}

// shows reports whether a page's lines, of which some may be elided, are the output.
func shows(shown, output []string) bool {
	if len(shown) == 0 {
		return len(output) == 0
	}
	if shown[0] != elided {
		return len(output) > 0 && shown[0] == output[0] && shows(shown[1:], output[1:])
	}
	for from := range len(output) + 1 {
		if shows(shown[1:], output[from:]) {
			return true
		}
	}
	return false
}

func TestShowsKnowsWhatIsLeftOut(t *testing.T) {
	for _, row := range []struct {
		sentence      string
		shown, output string
		want          bool
	}{
		{"all of it", "a\nb", "a\nb", true},
		{"another line", "a\nb", "a\nc", false},
		{"a line too many", "a\nb", "a", false},
		{"a line too few", "a", "a\nb", false},
		{"the end left out", "a\n…", "a\nb\nc", true},
		{"the middle left out", "a\n…\nc", "a\nb\nb\nc", true},
		{"nothing left out", "a\n…\nb", "a\nb", true},
		{"an end that is not there", "a\n…\nd", "a\nb\nc", false},
	} {
		if got := shows(strings.Split(row.shown, "\n"), strings.Split(row.output, "\n")); got != row.want {
			t.Errorf("%s: shows(%q, %q) = %t; want %t", row.sentence, row.shown, row.output, got, row.want)
		}
	}
}

// renew returns what a page is to show of an output: as many sections of it as stood
// before what was left out, and all of it where nothing was.
func renew(shown, output []string) []string {
	sections := 0
	for _, line := range shown {
		if line == "" {
			sections++
		}
	}
	for i, line := range output {
		if line == "" {
			sections--
		}
		if sections == 0 && len(shown) > 0 && shown[len(shown)-1] == elided {
			return append(output[:i+1:i+1], elided)
		}
	}
	return output
}

// What the page shows of the scenario is in it.
func TestOwnTablePageShowsItsScenario(t *testing.T) {
	text, err := os.ReadFile(ownTablePage)
	if err != nil {
		t.Fatal(err)
	}
	scenario, err := os.ReadFile("../../docs/fleet.yaml")
	if err != nil {
		t.Fatal(err)
	}
	race, err := os.ReadFile("../../docs/race.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shown := blocksOf(string(text), "yaml")
	for _, block := range shown {
		if !strings.Contains(string(scenario), block) && !strings.Contains(string(race), block) {
			t.Errorf("neither docs/fleet.yaml nor docs/race.yaml holds what the page shows of it:\n%s", block)
		}
	}
	if len(shown) < 5 {
		t.Errorf("the page shows %d parts of the scenario; the test reads it wrongly", len(shown))
	}
}
