package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
)

// clockRoom is the one package through which time and chance enter.
const clockRoom = "engine/clock"

// readsTime are the functions that read the machine's clock or wait for it, by
// package, each with what to write instead.
var readsTime = map[string]map[string]string{
	"time": {
		"Now":       "take the instant as an argument, or call Now of a clock.Clock",
		"Since":     "subtract instants: now.Sub(earlier)",
		"Until":     "subtract instants: later.Sub(now)",
		"Sleep":     "return the instant to the caller, or call Sleep of a clock.Clock",
		"After":     "use Alarm of a clock.Clock, and stop it",
		"AfterFunc": "use Alarm of a clock.Clock, and stop it",
		"NewTimer":  "use Alarm of a clock.Clock, and stop it",
		"Tick":      "use Alarm of a clock.Clock in a loop",
		"NewTicker": "use Alarm of a clock.Clock in a loop",
	},
	"context": {
		"WithTimeout":       "use Alarm of a clock.Clock and cancel the context yourself",
		"WithTimeoutCause":  "use Alarm of a clock.Clock and cancel the context yourself",
		"WithDeadline":      "use Alarm of a clock.Clock and cancel the context yourself",
		"WithDeadlineCause": "use Alarm of a clock.Clock and cancel the context yourself",
	},
}

// seededChance is what math/rand has that draws from a source of the caller's;
// all its other functions draw from a global one.
var seededChance = []string{"New", "NewSource", "NewPCG", "NewChaCha8", "NewZipf",
	"Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}

func purityRules() []rule {
	return []rule{
		{"nothing outside engine/clock reads the machine's clock or waits for it", checkTime},
		{"nothing outside engine/clock draws from a global source of chance", checkChance},
		{"no package has a func init", checkInit},
		{"no function alters a variable of a package", checkGlobals},
		{"tables are made of values, by columns whose options exist", checkTables},
		{"sentences are worded in a narrative.tmpl", checkSentences},
	}
}

// eachSelector calls with every package-qualified name in the code outside
// engine/clock and what only tests import.
func (h *house) eachSelector(call func(r *room, at ast.Node, pkg, name string)) {
	h.eachNode(func(r *room, s *source, n ast.Node) {
		if selector, ok := n.(*ast.SelectorExpr); ok && r.path != clockRoom && !r.support() {
			if pkg, qualified := r.imported(s.ast, selector.X); qualified {
				call(r, selector, pkg, selector.Sel.Name)
			}
		}
	})
}

// eachNode calls with every node of the code, tests excepted.
func (h *house) eachNode(call func(*room, *source, ast.Node)) {
	for _, r := range h.rooms {
		for _, s := range r.code {
			ast.Inspect(s.ast, func(n ast.Node) bool {
				if n != nil {
					call(r, s, n)
				}
				return true
			})
		}
	}
}

func checkTime(h *house) (faults []string) {
	h.eachSelector(func(r *room, at ast.Node, pkg, name string) {
		if instead, reads := readsTime[pkg][name]; reads {
			faults = append(faults, fmt.Sprintf("%s: %s reads the clock by %s.%s; %s", h.at(at), r.path, pkg, name, instead))
		}
	})
	return faults
}

func checkChance(h *house) (faults []string) {
	h.eachSelector(func(r *room, at ast.Node, pkg, name string) {
		switch pkg {
		case "math/rand", "math/rand/v2":
			if !slices.Contains(seededChance, name) {
				faults = append(faults, fmt.Sprintf("%s: %s draws from a global source by rand.%s; draw from a named clock.Stream, by the operation's number", h.at(at), r.path, name))
			}
		case "crypto/rand", "hash/maphash":
			faults = append(faults, fmt.Sprintf("%s: %s takes chance from %s, which no seed repeats; draw from a named clock.Stream", h.at(at), r.path, pkg))
		}
	})
	return faults
}

func checkInit(h *house) (faults []string) {
	h.eachNode(func(r *room, _ *source, n ast.Node) {
		if f, ok := n.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			faults = append(faults, fmt.Sprintf("%s: %s has a func init; make it a constructor that main calls, or a value that is computed where it is declared", h.at(f), r.path))
		}
	})
	return faults
}

// checkGlobals finds what assigns to a variable of a package or to a part of
// it. What alters one through a method or an alias escapes it.
func checkGlobals(h *house) (faults []string) {
	h.eachNode(func(r *room, s *source, n ast.Node) {
		for _, target := range altered(r, n) {
			if name := r.global(s.ast, target); name != "" {
				faults = append(faults, fmt.Sprintf("%s: %s alters the package's variable %s; keep it in a struct that the caller owns", h.at(n), r.path, name))
			}
		}
	})
	return faults
}

// altered returns the expressions that a statement or call assigns to.
func altered(r *room, n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.CallExpr:
		name, ok := n.Fun.(*ast.Ident)
		if !ok || len(n.Args) == 0 {
			return nil
		}
		if _, builtin := r.uses[name].(*types.Builtin); builtin && slices.Contains([]string{"delete", "clear", "copy"}, name.Name) {
			return n.Args[:1]
		}
	}
	return nil
}

// global returns the package's variable that an expression is or is a part of,
// empty where there is none.
func (r *room) global(file *ast.File, e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			if v, ok := r.uses[x].(*types.Var); ok && v.Parent() == r.scope {
				return x.Name
			}
			return ""
		case *ast.SelectorExpr:
			if _, qualified := r.imported(file, x.X); qualified {
				return types.ExprString(x)
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// handlesCells are the packages that handle cells: renderers.
var handlesCells = []string{"report/document", "report/html", "report/text"}

func checkTables(h *house) (faults []string) {
	h.eachSelector(func(r *room, at ast.Node, pkg, name string) {
		if pkg == moduleName+"report/document" && slices.Contains([]string{"Cell", "Column"}, name) && !slices.Contains(handlesCells, r.path) {
			faults = append(faults, fmt.Sprintf("%s: %s builds cells by hand; give values to document.Table.Add, or structs to document.Of", h.at(at), r.path))
		}
	})
	h.eachNode(func(r *room, s *source, n ast.Node) {
		var columns []string
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, argument := range n.Args {
				if text, is := argument.(*ast.BasicLit); is && types.ExprString(n.Fun) == "document.NewTable" {
					column, _ := strconv.Unquote(text.Value)
					columns = append(columns, column)
				}
			}
		case *ast.Field:
			if n.Tag != nil {
				columns = append(columns, reflect.StructTag(strings.Trim(n.Tag.Value, "`")).Get("col"))
			}
		}
		for _, column := range columns {
			if title := document.ParseColumn(column).Title; strings.Contains(title, "|") {
				faults = append(faults, fmt.Sprintf("%s: column %q has an option that is none", h.at(n), title))
			}
		}
	})
	return faults
}

// narrated are the packages whose sentences are in a narrative.tmpl, which [document.ParseNarrative] reads.
var narrated = []string{"backoff/trial", "report", "report/compare/contest", "report/export", "report/html", "report/text", "report/verdict", "scenarios/capture", "scenarios/logs",
	"scenarios/logs/replay"}

// sentenceTemplate is a format of a whole sentence.
var sentenceTemplate = regexp.MustCompile(`^"[^"]*%[a-z.0-9]+[^"]* [^"]*\."$`)

func checkSentences(h *house) (faults []string) {
	h.eachNode(func(r *room, s *source, n ast.Node) {
		text, is := n.(*ast.BasicLit)
		if is && text.Kind == token.STRING && slices.Contains(narrated, r.path) && sentenceTemplate.MatchString(text.Value) {
			faults = append(faults, fmt.Sprintf("%s: %s words a sentence in Go; its narrative.tmpl has them all", h.at(n), r.path))
		}
	})
	h.eachSelector(func(r *room, at ast.Node, pkg, name string) {
		// A replay writes scenarios, in YAML.
		if pkg == "text/template" && r.path != "report/document" && r.path != "scenarios/logs/replay" {
			faults = append(faults, fmt.Sprintf("%s: %s parses templates; document.ParseNarrative does", h.at(at), r.path))
		}
	})
	return faults
}
