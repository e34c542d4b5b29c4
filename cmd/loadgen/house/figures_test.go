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
	"report/live":  "a run that goes on, of which there is no record yet",
	"report/chart": "single bars, which are no figures of the run",
}

func figureRules() []rule {
	return []rule{{
		name:  "nothing but results/figure takes a figure from the counts of a record",
		check: checkFigures,
		broken: []snippet{
			{"the share lost once more", oneFile("report/compare/contest/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 { return float64(k.Scheduled-k.Succeeded) / float64(k.Scheduled) }"),
				"report/compare/contest divides counts of a record by counts"},
			{"as a quotient of entities", oneFile("scenarios/series/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 { return 1 - float64(k.Served)/float64(max(1, k.Offered)) }"), "scenarios/series divides"},
			{"sums in locals", oneFile("results/catalog/x.go", "import \"loadgen/results\"\nfunc f(all []*results.KindStats) float64 {\nvar a, t int64\nfor _, k := range all { a, t = a+k.Attempts, t+k.Throttled }\nreturn float64(t) / float64(a)\n}"),
				"results/catalog divides"},
			{"sums by +=", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(all []*results.KindStats) float64 {\nvar a, t int64\nfor _, k := range all {\na += k.Attempts\nt += k.Throttled\n}\nreturn float64(t) / float64(a)\n}"),
				"report divides"},
			{"a local that is converted", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 {\nthrottled := float64(k.Throttled)\nreturn throttled / float64(k.Attempts)\n}"),
				"report divides"},
			{"by way of another local", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 {\nlost := k.Scheduled - k.Succeeded\nvar part, whole = float64(lost), float64(max(1, k.Scheduled))\nreturn part / whole\n}"),
				"report divides"},
			{"within a function value", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) func() float64 {\ndue := k.Scheduled\nreturn func() float64 { return float64(k.Sent) / float64(due) }\n}"),
				"report divides"},
			{"a local that is divided in place", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 {\nshare := float64(k.Throttled)\nshare /= float64(k.Attempts)\nreturn share\n}"),
				"report divides"},
		},
		sound: []snippet{
			{"the room itself", oneFile(figureRoom+"/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) float64 { return float64(k.Throttled) / float64(k.Attempts) }"), ""},
			{"what knows no record", oneFile("backoff/trial/x.go", "func f(w watch) float64 { return float64(w.Throttled) / float64(w.Attempts) }"), ""},
			{"locals that hold other numbers", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats, n int) float64 {\nall := n\nreturn float64(k.Attempts) / float64(all)\n}"), ""},
			{"a local of another function", oneFile("report/x.go", "import \"loadgen/results\"\nfunc g(k *results.KindStats) int64 {\nall := k.Sent\nreturn all\n}\nfunc f(k *results.KindStats, all int64) int64 { return k.Attempts / all }"), ""},
			{"what a call says of counts", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats, width func(int64) int64) int64 {\nall := width(k.Sent)\nreturn k.Attempts / all\n}"), ""},
			{"a length of time", oneFile("report/x.go", "import \"loadgen/results\"\nfunc f(k *results.KindStats) int64 { return k.Attempts / 2 }"), ""},
		},
	}}
}

func checkFigures(h *house) (faults []string) {
	for _, r := range h.rooms {
		if _, other := otherCounts[r.path]; other || r.path == figureRoom || r.path == "results" || strings.HasPrefix(r.path, "results/baseline") {
			continue
		}
		for _, s := range r.code {
			if !knowsRecords(s.ast) {
				continue
			}
			for _, declaration := range s.ast.Decls {
				locals := countingLocals(declaration)
				for _, quotient := range quotients(declaration) {
					if counts(quotient[0], locals) && counts(quotient[1], locals) {
						faults = append(faults, fmt.Sprintf("%s: %s divides counts of a record by counts; take the figure from %s by its name", h.at(quotient[0]), r.path, figureRoom))
					}
				}
			}
		}
	}
	return faults
}

// quotients returns what is divided, and by what, in a declaration: by a / b, and by a /= b.
func quotients(body ast.Node) (list [][2]ast.Expr) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch q := n.(type) {
		case *ast.BinaryExpr:
			if q.Op == token.QUO {
				list = append(list, [2]ast.Expr{q.X, q.Y})
			}
		case *ast.AssignStmt:
			if q.Tok == token.QUO_ASSIGN {
				list = append(list, [2]ast.Expr{q.Lhs[0], q.Rhs[0]})
			}
		}
		return true
	})
	return list
}

// countingLocals returns the locals of a declaration that hold what records count: those
// that are set to it or that it is added to, by way of other locals too. Two locals of a
// name are taken for one.
func countingLocals(body ast.Node) map[string]bool {
	locals := make(map[string]bool)
	for before := -1; before < len(locals); {
		before = len(locals)
		ast.Inspect(body, func(n ast.Node) bool {
			switch s := n.(type) {
			case *ast.AssignStmt:
				follow(locals, s.Lhs, s.Rhs)
			case *ast.ValueSpec:
				var names []ast.Expr
				for _, name := range s.Names {
					names = append(names, name)
				}
				follow(locals, names, s.Values)
			}
			return true
		})
	}
	return locals
}

// follow adds to the locals those that are set to counts. What a call returns of its own
// is not followed: that is a number of somebody else's.
func follow(locals map[string]bool, to, from []ast.Expr) {
	if len(to) != len(from) {
		return
	}
	for i, value := range from {
		if name, ok := to[i].(*ast.Ident); ok && name.Name != "_" && counted(value, locals) {
			locals[name.Name] = true
		}
	}
}

// counted reports whether an expression is a number of what records count.
func counted(e ast.Expr, locals map[string]bool) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return slices.Contains(countedBy, e.Sel.Name)
	case *ast.Ident:
		return locals[e.Name]
	case *ast.ParenExpr:
		return counted(e.X, locals)
	case *ast.BinaryExpr:
		return e.Op != token.QUO && (counted(e.X, locals) || counted(e.Y, locals))
	case *ast.CallExpr:
		name, ok := e.Fun.(*ast.Ident)
		return ok && slices.Contains(numbers, name.Name) && slices.ContainsFunc(e.Args, func(arg ast.Expr) bool { return counted(arg, locals) })
	default:
		return false
	}
}

// numbers make a number of a number: the conversions, and the greater or the less of two.
var numbers = []string{"float64", "int64", "uint64", "int", "max", "min"}

// counts reports whether an expression is made of what records count.
func counts(e ast.Expr, locals map[string]bool) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || slices.Contains(countedBy, n.Sel.Name)
			// The name of a field is no local.
			found = found || counts(n.X, locals)
			return false
		case *ast.Ident:
			found = found || locals[n.Name]
		}
		return true
	})
	return found
}
