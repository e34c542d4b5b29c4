package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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
	return []rule{{
		name:  "nothing outside engine/clock reads the machine's clock or waits for it",
		check: checkTime,
		broken: []snippet{
			{"a call", oneFile("engine/x.go", "import \"time\"\nvar _ = time.Now()"), "engine reads the clock by time.Now; take the instant"},
			{"a function value under another name", oneFile("engine/x.go", "import t \"time\"\nvar wait = t.Sleep"), "time.Sleep"},
			{"deep in what the checker cannot know", oneFile("engine/x.go", "import (\n\"time\"\n\"example.org/y\"\n)\nfunc f() { y.T{1, func() { for range y.V { <-time.After(1) } }}.Run() }"), "time.After"},
			{"a package with a like path", oneFile("engine/clock/fast/x.go", "import \"time\"\nvar _ = time.NewTicker(1)"), "time.NewTicker"},
			{"a deadline", oneFile("target/x.go", "import \"context\"\nfunc f(c context.Context) { context.WithTimeout(c, 1) }"), "context.WithTimeout"},
		},
		sound: []snippet{
			{"the clock itself", oneFile("engine/clock/x.go", "import \"time\"\nvar _ = time.Now()"), ""},
			{"a duration, and a method Now", oneFile("engine/x.go", "import \"time\"\nfunc f(d time.Duration, c interface{ Now() int }) int { return c.Now() }"), ""},
			{"a variable called time", oneFile("engine/x.go", "func f(time interface{ Now() int }) int { return time.Now() }"), ""},
			{"another package called time", oneFile("engine/x.go", "import \"example.org/time\"\nvar _ = time.Now()"), ""},
			{"a test", oneFile("engine/x_test.go", "import \"time\"\nvar _ = time.Now()"), ""},
		},
	}, {
		name:  "nothing outside engine/clock draws from a global source of chance",
		check: checkChance,
		broken: []snippet{
			{"version 2", oneFile("engine/x.go", "import \"math/rand/v2\"\nvar _ = rand.IntN(3)"), "engine draws from a global source by rand.IntN; draw from a named clock.Stream"},
			{"version 1, as a value", oneFile("engine/x.go", "import \"math/rand\"\nvar shuffle = rand.Shuffle"), "rand.Shuffle"},
			{"the machine's own", oneFile("engine/x.go", "import \"crypto/rand\"\nvar _ = rand.Reader"), "crypto/rand"},
			{"a hash with a seed of its own", oneFile("engine/x.go", "import \"hash/maphash\"\nvar _ = maphash.MakeSeed()"), "hash/maphash"},
		},
		sound: []snippet{
			{"a generator over a seeded source", oneFile("engine/x.go", "import \"math/rand/v2\"\nvar _ = rand.New(rand.NewPCG(1, 2)).IntN(3)"), ""},
			{"the clock itself", oneFile("engine/clock/x.go", "import \"math/rand/v2\"\nvar _ = rand.IntN(3)"), ""},
		},
	}, {
		name:  "imports keep their names apart: none is a dot import",
		check: checkDots,
		broken: []snippet{
			{"a dot import", oneFile("engine/x.go", "import . \"time\"\nvar _ = Now()"), "engine imports time by a dot"},
		},
		sound: []snippet{{"a renamed import", oneFile("engine/x.go", `import clocks "time"`), ""}},
	}, {
		name:  "nothing runs before main: no func init",
		check: checkInit,
		broken: []snippet{
			{"a function", oneFile("engine/x.go", "func init() {}"), "engine has a func init"},
		},
		sound: []snippet{
			{"a method of that name", oneFile("engine/x.go", "type t struct{}\nfunc (t) init() {}"), ""},
			{"a test", oneFile("engine/x_test.go", "func init() {}"), ""},
		},
	}, {
		name:  "no function alters a variable of a package",
		check: checkGlobals,
		broken: []snippet{
			{"an assignment", oneFile("engine/x.go", "var n int\nfunc f() { n = 1 }"), "engine alters the package's variable n"},
			{"a count", oneFile("engine/x.go", "var n [3]int\nfunc f() { n[1]++ }"), "variable n"},
			{"a map's entry", oneFile("engine/x.go", "var m = map[string]struct{ n []int }{}\nfunc f() { m[\"a\"].n[0] += 2 }"), "variable m"},
			{"what a pointer points to", oneFile("engine/x.go", "var p = new(int)\nfunc f() { *p = 1 }"), "variable p"},
			{"a deletion", oneFile("engine/x.go", "var m = map[int]int{}\nfunc f() { delete(m, 1) }"), "variable m"},
			{"a loop's variable", oneFile("engine/x.go", "var n int\nfunc f() { for n = range 3 {} }"), "variable n"},
			{"another package's variable", oneFile("engine/x.go", "import \"os\"\nfunc f() { os.Args = nil }"), "variable os.Args"},
		},
		sound: []snippet{
			{"a local variable of the same name", oneFile("engine/x.go", "var n int\nfunc f() { n := 1; n++ }"), ""},
			{"a field", oneFile("engine/x.go", "type t struct{ n int }\nfunc (x *t) f() { x.n = 1 }"), ""},
			{"a table that is only read", oneFile("engine/x.go", "var m = map[int]int{1: 2}\nfunc f() int { return m[1] }"), ""},
			{"a blank assertion", oneFile("engine/x.go", "var _ error = (*t)(nil)\ntype t struct{ error }"), ""},
		},
	}}
}

// eachSelector calls with every package-qualified name in the code outside
// engine/clock.
func (h *house) eachSelector(call func(r *room, at ast.Node, pkg, name string)) {
	h.eachNode(func(r *room, s *source, n ast.Node) {
		if selector, ok := n.(*ast.SelectorExpr); ok && r.path != clockRoom {
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

func checkDots(h *house) (faults []string) {
	h.eachImport(func(r *room, spec *ast.ImportSpec, target string) {
		if spec.Name != nil && spec.Name.Name == "." {
			faults = append(faults, fmt.Sprintf("%s: %s imports %s by a dot; name the package where it is used", h.at(spec), r.path, target))
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
