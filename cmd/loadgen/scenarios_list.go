package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"loadgen/scenarios"
)

// listFlags are what a user typed after `loadgen scenarios list`.
type listFlags struct{ format string }

// listed is a built-in scenario as it is listed.
type listed struct {
	Name string `json:"name"`
	// Says is the first sentence of About.
	Says    string   `json:"says"`
	About   string   `json:"about"`
	Designs []string `json:"designs"`
	// Opposite is what --opposite does wrong, null where there is none.
	Opposite *string `json:"opposite"`
	// Pattern is the documents' pattern that it shows, null where it shows none.
	Pattern *listedPattern `json:"pattern"`
}

// listedPattern is a design pattern as it is listed.
type listedPattern struct {
	Row   string `json:"row"`
	Buys  string `json:"buys"`
	Costs string `json:"costs"`
}

func (f *listFlags) verb(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the built-in scenarios and what each teaches",
		Long: `List prints the name of every built-in scenario and the first sentence of what it is
about, one on a line: the lessons first, then the design patterns of the documents, in
their order. Run, simulate, explain and show take those names.`,
		Example: "  loadgen scenarios list\n  loadgen scenarios list --format json",
		RunE:    func(*cobra.Command, []string) error { return f.list(stdout) },
	}
	refuseArguments(c)
	c.Flags().StringVar(&f.format, "format", "text", "what to print: text, or json")
	return c
}

func (f *listFlags) list(stdout io.Writer) error {
	if f.format != "text" && f.format != "json" {
		return usageError{fmt.Errorf("--format %s: expected text or json", f.format)}
	}
	var all []listed
	for _, name := range scenarios.Library() {
		s, err := scenarios.Builtin(name)
		if err != nil {
			return err
		}
		one := listed{Name: name, Says: firstSentence(s.About), About: strings.TrimSpace(s.About), Designs: append([]string{}, s.Alternatives()...)}
		if s.Opposite != nil {
			contrary := strings.Join(strings.Fields(s.Opposite.About), " ")
			one.Opposite = &contrary
		}
		if s.Pattern != nil {
			one.Pattern = &listedPattern{s.Pattern.Row, s.Pattern.Buys, s.Pattern.Costs}
		}
		all = append(all, one)
	}
	if f.format == "json" {
		text, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(stdout, "%s\n", text)
		return err
	}
	_, err := io.WriteString(stdout, listText(all, columnsOf(stdout)))
	return err
}

// listText writes names and sentences in two columns, in lines of at most so many
// characters; 0 is any number. Lessons and patterns have sections of their own where
// there are both.
func listText(all []listed, columns int) string {
	widest := 0
	var lessons, patterns []listed
	for _, one := range all {
		widest = max(widest, len(one.Name))
		if one.Pattern == nil {
			lessons = append(lessons, one)
		}
	}
	for _, row := range scenarios.PatternRows() {
		for _, one := range all {
			if one.Pattern != nil && one.Pattern.Row == row {
				patterns = append(patterns, one)
			}
		}
	}
	if len(lessons) == 0 || len(patterns) == 0 {
		return listLines(all, widest, columns)
	}
	return "Lessons\n" + listLines(lessons, widest, columns) +
		"\nDesign patterns (`loadgen scenarios patterns` runs each beside what it replaces)\n" + listLines(patterns, widest, columns)
}

// listLines writes those of one section, with a column for names of so many characters.
func listLines(all []listed, widest, columns int) string {
	var text strings.Builder
	for _, one := range all {
		for i, line := range folded(one.Says, columns-widest-2) {
			name := one.Name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&text, "%-*s  %s\n", widest, name, line)
		}
	}
	return text.String()
}

// leastRoom is what a column of text needs to be one; where there is less, lines are
// left as they are.
const leastRoom = 20

// folded breaks a text into lines of at most so many characters, between words.
func folded(text string, room int) []string {
	if room < leastRoom {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= room:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

// columnsOf returns how wide a terminal is, 0 for what is none.
func columnsOf(to io.Writer) int {
	file, ok := to.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// firstSentence returns a text as far as its first full stop, colon or the like that
// a blank follows, in one line.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for i := range len(text) {
		if strings.IndexByte(".?!", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ') {
			return text[:i+1]
		}
	}
	return text
}
