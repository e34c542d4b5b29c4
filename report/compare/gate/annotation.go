package gate

import (
	"fmt"
	"io"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/export"
)

const (
	// mostAnnotations is how many of a kind a step of a job may show.
	mostAnnotations = 10
	// mostMessage bounds what one of them says, in bytes.
	mostMessage = 3000
)

// Annotations prints results as commands of GitHub's workflows, which show them beside a
// change: errors for what bars it, warnings for what cannot be told, notices for what is
// better, and one for what has not changed. Of more than ten of a kind, the last counts
// the rest.
func Annotations(w io.Writer, list []Result) error {
	var out strings.Builder
	kinds := map[string][]*Result{}
	same := 0
	for i := range list {
		switch r := &list[i]; r.Outcome {
		case compare.Same:
			same++
		case compare.Improvement:
			kinds["notice"] = append(kinds["notice"], r)
		case compare.Inconclusive, compare.NoBaseline:
			kinds["warning"] = append(kinds["warning"], r)
		default:
			kinds["error"] = append(kinds["error"], r)
		}
	}
	for _, kind := range []string{"error", "warning", "notice"} {
		most := mostAnnotations
		if kind == "notice" && same > 0 {
			most--
		}
		shown := kinds[kind]
		if len(shown) > most {
			shown = shown[:most-1]
		}
		for _, r := range shown {
			message := append([]string{r.sentence()}, r.lines()...)
			annotation(&out, kind, export.Plain(r.Scenario)+": "+r.Outcome.String(), strings.Join(message, "\n"))
		}
		var rest []string
		for _, r := range kinds[kind][len(shown):] {
			rest = append(rest, export.Plain(r.Scenario)+": "+r.Outcome.String())
		}
		if len(rest) > 0 {
			annotation(&out, kind, fmt.Sprintf("%d more scenarios", len(rest)), strings.Join(rest, "\n"))
		}
	}
	if same > 0 {
		annotation(&out, "notice", "loadgen gate", fmt.Sprintf("no difference in %d of %d scenarios", same, len(list)))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// annotation prints one command. A line's end would begin another command.
func annotation(out *strings.Builder, kind, title, message string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	fmt.Fprintf(out, "::%s title=%s::%s\n", kind, value.Replace(cut(title, mostCell)), data.Replace(cut(message, mostMessage)))
}
