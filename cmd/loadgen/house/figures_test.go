package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// figureRoom is the one package that takes figures from a record.
const figureRoom = "results/figure"

// countedBy are what records count: a ratio of two of them is a figure, and so is a
// difference that is divided.
var countedBy = []string{"Scheduled", "Sent", "Dropped", "Late", "Operations", "Succeeded", "Attempts", "Ok", "Throttled", "Failed", "Retries",
	"Offered", "Served", "Counted", "Returned", "Due", "FirstThrottled", "LastHalf", "Requests"}

// otherCounts are rooms whose counts are of no record, each with what they are of.
var otherCounts = map[string]string{
	"report/live":      "a run that goes on, of which there is no record yet",
	"report/chart":     "single bars, which are no figures of the run",
	"scenarios/health": "the process",
}

func figureRules() []rule {
	return []rule{{
		name:  "nothing but results/figure takes a figure from the counts of a record",
		check: checkFigures,
		broken: []snippet{
			{"the share lost once more", oneFile("report/compare/contest/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 { return float64(k.Scheduled-k.Succeeded) / float64(k.Scheduled) }"),
				"report/compare/contest divides counts of a record by counts"},
			{"as a quotient of entities", oneFile("scenarios/series/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 { return 1 - float64(k.Served)/float64(max(1, k.Offered)) }"), "scenarios/series divides"},
		},
		sound: []snippet{
			{"the room itself", oneFile(figureRoom+"/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 { return float64(k.Throttled) / float64(k.Attempts) }"), ""},
			{"what knows no record", oneFile("backoff/trial/x.go", "func f(w watch) float64 { return float64(w.Throttled) / float64(w.Attempts) }"), ""},
			{"a length of time", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) int64 { return k.Attempts / 2 }"), ""},
		},
	}}
}

func checkFigures(h *house) (faults []string) {
	h.eachNode(func(r *room, s *source, n ast.Node) {
		quotient, ok := n.(*ast.BinaryExpr)
		if !ok || quotient.Op != token.QUO || !knowsRecords(s.ast) || !counts(quotient.X) || !counts(quotient.Y) {
			return
		}
		if _, other := otherCounts[r.path]; other || r.path == figureRoom || r.path == "results" || strings.HasPrefix(r.path, "results/baseline") {
			return
		}
		faults = append(faults, fmt.Sprintf("%s: %s divides counts of a record by counts; take the figure from %s by its name", h.at(quotient), r.path, figureRoom))
	})
	return faults
}

// counts reports whether an expression is made of what records count.
func counts(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok && slices.Contains(countedBy, selector.Sel.Name) {
			found = true
		}
		return true
	})
	return found
}
