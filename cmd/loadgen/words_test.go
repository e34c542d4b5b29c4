package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"loadgen/scenarios"
)

// wordsOfBefore are words that readers met before, and what is said now. They are looked for
// where a user reads: in help, the pages of docs and the library.
var wordsOfBefore = [...]struct{ was, is string }{
	{`lessons?`, "example"},
	{`tall(y|ies)`, "counter"},
	{`procedures?`, "workflow"},
	{`att/op`, "tries/op"},
	{`contenders?|specimens?|tournaments?|duels?|bouts?`, "arm, candidate, contest, pair"},
	{`(its|the|an) opposite( of)?`, "anti-pattern"},
	{`documents.? (2,000|20,000)`, "Azure's documented 2,000"},
	{`(most|nothing|requests|attempts|none|half|load|writes) (are|is|were)? ?refused`, "throttled"},
	{`--(opposite|up-to|output|max-refused|bill-refused)`, "the flags of now"},
	{`backoff list`, "backoff contest"},
}

// notSwept says of a page why it keeps words of before.
var notSwept = map[string]string{
	"decisions.md": "it tells of how things were called",
	"patterns.md":  "its tables are those of report/patterns.go",
}

func TestWordsOfBeforeAreGone(t *testing.T) {
	texts := map[string]string{"README.md": readme(t), "ARCHITECTURE.md": pageOf(t, "ARCHITECTURE.md")}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v; want those of docs", len(pages), err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); notSwept[name] == "" {
			texts["docs/"+name] = pageOf(t, "docs/"+name)
		}
	}
	for _, name := range scenarios.Library() {
		source, err := scenarios.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name+".yaml"] = string(source)
	}
	for _, c := range verbsOf(newRoot(io.Discard, io.Discard)) {
		words := strings.Fields(c.CommandPath())[1:]
		_, texts["the help of "+c.CommandPath()], _ = say(t, append([]string{"help"}, words...)...)
	}
	for _, one := range wordsOfBefore {
		pattern := regexp.MustCompile(`(?i)(^|[^\pL\pN-])(` + one.was + `)([^\pL\pN-]|$)`)
		for where, text := range texts {
			if match := pattern.FindStringSubmatch(strings.Join(strings.Fields(text), " ")); match != nil {
				t.Errorf("%s says %q; write: %s", where, match[2], one.is)
			}
		}
	}
}
