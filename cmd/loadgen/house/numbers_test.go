package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// numberRoom is the one package that turns the numbers of a report into words.
const numberRoom = "report/document"

// worded are the rooms that say something to people, each with what is in it.
var worded = []string{"report", "cmd/loadgen", "scenarios/advise", "scenarios/doctor", "scenarios/series", "scenarios/run", "scenarios/capture", "scenarios/logs", "backoff/trial"}

// machineForms are those of them that write numbers for other programs, with what reads
// them.
var machineForms = map[string]string{
	"report/export":          "benchstat, HdrHistogram's tools and JUnit",
	"report/live/prometheus": "Prometheus",
}

// fractional is a verb of fmt that writes a number with a fraction of its own choosing.
var fractional = regexp.MustCompile(`%[-+ #0]*[0-9*]*(\.[0-9*]*)?[efgEFG]`)

func numberRules() []rule {
	return []rule{{
		name:  "numbers of a report become words in report/document alone",
		check: checkNumbers,
		broken: []snippet{
			{"a fraction by fmt", oneFile("report/x.go", "import \"fmt\"\nfunc f(v float64) string { return fmt.Sprintf(\"%.1f s\", v) }"), "report writes a number by fmt's %.1f"},
			{"any number of decimals", oneFile("scenarios/advise/keys/x.go", "import \"fmt\"\nfunc f(v float64) string { return fmt.Sprintf(\"about %g\", v) }"), "scenarios/advise/keys writes a number by fmt's %g"},
			{"a width before it", oneFile("cmd/loadgen/x.go", "const line = \"%6.2f\""), "cmd/loadgen writes a number by fmt's %6.2f"},
			{"by strconv", oneFile("report/compare/x.go", "import \"strconv\"\nfunc f(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }"), "report/compare writes a number by strconv.FormatFloat"},
			{"thousands by hand", oneFile("report/chart/x.go", "func grouped(n int64) string { return \"\" }\nfunc thousands(n int64) string { return \"\" }"), "report/chart has a function thousands"},
		},
		sound: []snippet{
			{"the room itself", oneFile("report/document/x.go", "import \"strconv\"\nfunc f(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }"), ""},
			{"a form for machines", oneFile("report/export/x.go", "import \"strconv\"\nfunc f(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }"), ""},
			{"a whole number and a per cent sign", oneFile("report/x.go", "import \"fmt\"\nfunc f(n int) string { return fmt.Sprintf(\"%d of %s %% for\", n, \"x\") }"), ""},
			{"a room that says nothing to people", oneFile("engine/x.go", "import \"fmt\"\nfunc f(v float64) string { return fmt.Sprintf(\"%.1f\", v) }"), ""},
			{"a test", oneFile("report/x_test.go", "const line = \"%.2f\""), ""},
		},
	}}
}

func checkNumbers(h *house) (faults []string) {
	h.eachNode(func(r *room, _ *source, n ast.Node) {
		if _, machine := machineForms[r.path]; machine || r.path == numberRoom || !sayingSomething(r.path) {
			return
		}
		if says := numberIn(n); says != "" {
			faults = append(faults, fmt.Sprintf("%s: %s %s; use report/document, which says every number of a report", h.at(n), r.path, says))
		}
	})
	return faults
}

func sayingSomething(path string) bool {
	for _, room := range worded {
		if path == room || strings.HasPrefix(path, room+"/") {
			return true
		}
	}
	return false
}

// numberIn says how a node writes a number, empty where it does not.
func numberIn(n ast.Node) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			// What follows a per cent sign of its own is no verb.
			if verb := fractional.FindString(strings.ReplaceAll(n.Value, "%%", "")); verb != "" {
				return "writes a number by fmt's " + verb
			}
		}
	case *ast.SelectorExpr:
		if of, is := n.X.(*ast.Ident); is && of.Name == "strconv" && (n.Sel.Name == "FormatFloat" || n.Sel.Name == "AppendFloat") {
			return "writes a number by strconv." + n.Sel.Name
		}
	case *ast.FuncDecl:
		if n.Name.Name == "thousands" {
			return "has a function thousands"
		}
	}
	return ""
}
