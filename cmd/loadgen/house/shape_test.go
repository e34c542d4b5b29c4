package house_test

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// longestFunction is the maximum number of lines of a function, tests excepted.
const longestFunction = 70

// emptyNames are packages that say nothing of what they are.
var emptyNames = []string{"base", "common", "helper", "helpers", "lib", "misc", "shared", "util", "utils"}

func shapeRules() []rule {
	return []rule{{
		name:  "every package says in doc.go what it is",
		check: checkDocs,
		broken: []snippet{
			{"no doc.go", oneFile("engine/x.go", ""), "engine has no doc.go"},
			{"a doc.go without a comment", oneFile("engine/doc.go", ""), "// Package x …"},
			{"a comment that begins otherwise", map[string]string{"engine/doc.go": "// This is x.\npackage x\n"}, "// Package x …"},
			{"another package's comment", map[string]string{"engine/doc.go": "// Package xy is.\npackage x\n"}, "// Package x …"},
			{"a command that calls itself a package", map[string]string{"cmd/loadgen/doc.go": "// Package main is.\npackage main\n"}, "// Command loadgen …"},
		},
		sound: []snippet{
			{"a package", map[string]string{"engine/doc.go": "// Package x is one.\npackage x\n"}, ""},
			{"a command", map[string]string{"cmd/loadgen/doc.go": "// Command loadgen loads.\npackage main\n"}, ""},
			{"tests alone", oneFile("engine/x_test.go", ""), ""},
		},
	}, {
		name:  "every exported name has a comment",
		check: checkComments,
		broken: []snippet{
			{"a function", oneFile("engine/x.go", "func F() {}"), "F has no comment"},
			{"a type", oneFile("engine/x.go", "type T struct{}"), "T has no comment"},
			{"a method of an exported type", oneFile("engine/x.go", "// T is.\ntype T[P any] struct{}\n\nfunc (t *T[P]) M() {}"), "T.M has no comment"},
			{"a constant in a group", oneFile("engine/x.go", "const (\n\t// A is.\n\tA = 1\n\tB = 2\n)"), "B has no comment"},
			{"a variable", oneFile("engine/x.go", "var a, B int"), "B has no comment"},
		},
		sound: []snippet{
			{"a group under one comment", oneFile("engine/x.go", "// The letters.\nconst (\n\tA = 1\n\tB = 2\n)"), ""},
			{"a comment behind", oneFile("engine/x.go", "const (\n\tA = 1 // the first\n)"), ""},
			{"methods of types that are not exported", oneFile("engine/x.go", "type t struct{}\n\nfunc (t) String() string { return \"\" }"), ""},
			{"a name inside a function", oneFile("engine/x.go", "func f() { const X = 1 }"), ""},
		},
	}, {
		name:  "a function has at most 70 lines",
		check: checkFunctionLengths,
		broken: []snippet{
			{"one more", oneFile("engine/x.go", "func (t) f() {\n"+strings.Repeat("//\n", longestFunction-1)+"}"), "f has 71 lines"},
		},
		sound: []snippet{
			{"exactly as many", oneFile("engine/x.go", "func f() {\n"+strings.Repeat("//\n", longestFunction-2)+"}"), ""},
		},
	}, {
		name:  "a package's name says what it is",
		check: checkNames,
		broken: []snippet{
			{"the folder", oneFile("engine/util/x.go", ""), "engine/util"},
			{"the package clause", map[string]string{"engine/x.go": "package helpers\n"}, "helpers"},
		},
		sound: []snippet{{"a noun of the domain", map[string]string{"engine/store/x.go": "package store\n"}, ""}},
	}}
}

func checkDocs(h *house) (faults []string) {
	for _, r := range h.rooms {
		if len(r.code) == 0 {
			continue
		}
		i := slices.IndexFunc(r.code, func(s *source) bool { return path.Base(s.path) == "doc.go" })
		if i < 0 {
			faults = append(faults, fmt.Sprintf("%s has no doc.go; say there what the package is, how it is used, what the caller owes, what it never does", r.path))
			continue
		}
		file := r.code[i].ast
		want := "Package " + file.Name.Name
		if file.Name.Name == "main" {
			want = "Command " + path.Base(r.path)
		}
		if text := file.Doc.Text(); !strings.HasPrefix(text, want+" ") {
			faults = append(faults, fmt.Sprintf("%s: the comment of the package begins %.20q; write `// %s …`", h.at(file), text, want))
		}
	}
	return faults
}

func checkComments(h *house) (faults []string) {
	without := func(at ast.Node, name string) {
		faults = append(faults, fmt.Sprintf("%s: %s has no comment; write a sentence that begins with its name: units, errors, ownership, use by several goroutines", h.at(at), name))
	}
	for _, r := range h.rooms {
		for _, s := range r.code {
			for _, d := range s.ast.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if name, exported := exportedFunction(d); exported && d.Doc == nil {
						without(d, name)
					}
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if name := exportedWithout(d, spec); name != "" {
							without(spec, name)
						}
					}
				}
			}
		}
	}
	return faults
}

// exportedFunction returns a function's name with its receiver's, and whether
// both can be seen from outside.
func exportedFunction(f *ast.FuncDecl) (string, bool) {
	if f.Recv == nil {
		return f.Name.Name, f.Name.IsExported()
	}
	receiver := f.Recv.List[0].Type
	for {
		switch x := receiver.(type) {
		case *ast.StarExpr:
			receiver = x.X
		case *ast.IndexExpr:
			receiver = x.X
		case *ast.IndexListExpr:
			receiver = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name, x.IsExported() && f.Name.IsExported()
		default:
			return f.Name.Name, false
		}
	}
}

// exportedWithout returns the first exported name that a declaration leaves
// without a comment, empty where it leaves none.
func exportedWithout(d *ast.GenDecl, spec ast.Spec) string {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
			return spec.Name.Name
		}
	case *ast.ValueSpec:
		if d.Doc != nil || spec.Doc != nil || spec.Comment != nil {
			return ""
		}
		for _, name := range spec.Names {
			if name.IsExported() {
				return name.Name
			}
		}
	}
	return ""
}

func checkFunctionLengths(h *house) (faults []string) {
	h.eachNode(func(r *room, _ *source, n ast.Node) {
		if f, ok := n.(*ast.FuncDecl); ok && h.lines(f) > longestFunction {
			faults = append(faults, fmt.Sprintf("%s: %s has %d lines; push the loops down into functions of their own, %d at most", h.at(f), f.Name.Name, h.lines(f), longestFunction))
		}
	})
	return faults
}

func checkNames(h *house) (faults []string) {
	for _, r := range h.rooms {
		names := []string{path.Base(r.path)}
		for _, s := range append(r.code, r.tests...) {
			names = append(names, s.ast.Name.Name)
		}
		for _, name := range names {
			if slices.Contains(emptyNames, name) {
				faults = append(faults, fmt.Sprintf("%s: a package called %s says nothing; name it after the noun of the domain that it holds", r.path, name))
				break
			}
		}
	}
	return faults
}
