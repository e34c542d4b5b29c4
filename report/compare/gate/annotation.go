package gate

import (
	"fmt"
	"io"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/report/export"
)

const (
	// maxAnnotations is the number of annotations of a kind that GitHub shows per step.
	maxAnnotations = 10
	// maxMessage is the maximum length of an annotation, in characters.
	maxMessage = 3000
)

// Annotations prints results as annotations of GitHub workflows: errors for failed gates,
// warnings for inconclusive ones, notices for improvements, and one notice for all
// unchanged scenarios. The last of more than maxAnnotations of a kind counts the others.
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
		limit := maxAnnotations
		if kind == "notice" && same > 0 {
			limit--
		}
		shown := kinds[kind]
		if len(shown) > limit {
			shown = shown[:limit-1]
		}
		for _, r := range shown {
			message := append([]string{r.sentence()}, r.lines()...)
			annotation(&out, kind, export.Plain(r.Scenario)+": "+r.Outcome.String(), strings.Join(message, "\n"))
		}
		var others []string
		for _, r := range kinds[kind][len(shown):] {
			others = append(others, export.Plain(r.Scenario)+": "+r.Outcome.String())
		}
		if len(others) > 0 {
			annotation(&out, kind, fmt.Sprintf("%d more scenarios", len(others)), strings.Join(others, "\n"))
		}
	}
	if same > 0 {
		annotation(&out, "notice", "loadgen gate", fmt.Sprintf("no difference in %d of %d scenarios", same, len(list)))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// annotation prints one command on one line.
func annotation(out *strings.Builder, kind, title, message string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	fmt.Fprintf(out, "::%s title=%s::%s\n", kind, value.Replace(document.Cut(title, maxCell)), data.Replace(document.Cut(message, maxMessage)))
}
