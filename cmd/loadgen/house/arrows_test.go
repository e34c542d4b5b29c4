package house_test

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// testsOnly stands for the owner of what only tests import.
const testsOnly = "tests"

func importRules() []rule {
	return []rule{{
		name:  "packages import along the arrows of the architecture only",
		check: checkArrows,
		broken: []snippet{
			{"the driving loop knows the engine", oneFile("scenarios/drive/x.go", `import _ "loadgen/engine"`), "scenarios/drive imports engine, which no arrow allows"},
			{"a leaf imports another", oneFile("results/x.go", `import _ "loadgen/engine/clock"`), "results imports engine/clock"},
			{"an arrow is by exact package", oneFile("report/chart/x.go", `import _ "loadgen/results/codec"`), "report/chart imports results/codec"},
			{"the command drives a run", oneFile("cmd/loadgen/x.go", `import _ "loadgen/scenarios/drive"`), "cmd/loadgen imports scenarios/drive, which no arrow allows"},
			{"the command knows the engine", oneFile("cmd/loadgen/x.go", `import _ "loadgen/engine"`), "cmd/loadgen imports engine,"},
			{"the command knows a room of the engine", oneFile("cmd/loadgen/x.go", `import _ "loadgen/engine/rest"`), "cmd/loadgen imports engine/rest,"},
			{"the command opens a target", oneFile("cmd/loadgen/x.go", `import _ "loadgen/target/azure"`), "cmd/loadgen imports target/azure,"},
			{"a file under a build tag counts", map[string]string{"backoff/x.go": "//go:build never\n\npackage x\n\nimport _ \"loadgen/target\"\n"}, "backoff imports target"},
		},
		sound: []snippet{
			{"the command imports what it shows", oneFile("cmd/loadgen/x.go", `import _ "loadgen/report"`), ""},
			{"the clock, and what serves", oneFile("cmd/loadgen/x.go", "import (\n_ \"loadgen/engine/clock\"\n_ \"loadgen/engine/rest/serve\"\n)"), ""},
			{"a test of the command", oneFile("cmd/loadgen/x_test.go", `import _ "loadgen/engine"`), ""},
			{"an external test imports what it exercises", oneFile("results/x_test.go", `import _ "loadgen/engine"`), ""},
		},
	}, {
		name:  "every package has a row in the table of arrows, and every row a package",
		check: checkRows,
		broken: []snippet{
			{"a new package", everyRoomBut("", "engine/balance"), "engine/balance has no row"},
			{"a package that is gone", everyRoomBut("backoff", ""), "the row of backoff"},
		},
		sound: []snippet{
			{"all rows and no other", everyRoomBut("", ""), ""},
			{"tests alone", with(everyRoomBut("", ""), "engine/enginetest/x_test.go"), ""},
		},
	}, {
		name:  "a third-party module is imported by the one package that owns it",
		check: checkOwners,
		broken: []snippet{
			{"vegeta outside its owner", oneFile("report/x.go", `import vegeta "github.com/tsenart/vegeta/v12/lib"`), "scenarios/drive owns"},
			{"a package below the owner", oneFile("results/codec/x.go", `import _ "github.com/HdrHistogram/hdrhistogram-go"`), "results owns"},
			{"a module that nobody owns", oneFile("engine/x.go", `import _ "example.org/module"`), "write it with the standard library"},
			{"a test's module outside tests", oneFile("engine/x.go", `import _ "github.com/google/go-cmp/cmp"`), "tests alone"},
			{"a name that only begins like an owned one", oneFile("cmd/loadgen/x.go", `import _ "github.com/spf13/cobra2"`), "no package owns"},
		},
		sound: []snippet{
			{"a package inside an owned module", oneFile("report/chart/x.go", `import _ "gonum.org/v1/plot/vg/draw"`), ""},
			{"the standard library", oneFile("engine/x.go", `import _ "math/bits"`), ""},
			{"a test", oneFile("engine/x_test.go", `import _ "github.com/google/go-cmp/cmp"`), ""},
		},
	}, {
		name:  "every module that go.mod requires directly has an owner",
		check: checkRequirements,
		broken: []snippet{
			{"a requirement of its own", map[string]string{"go.mod": "module loadgen\n\nrequire example.org/module v1.0.0\n"}, "example.org/module"},
			{"a requirement in a block", map[string]string{"go.mod": "module loadgen\n\nrequire (\n\tgithub.com/spf13/cobra v1.0.0\n\texample.org/module v1.0.0\n)\n"}, "example.org/module"},
		},
		sound: []snippet{{"indirect ones are their parents'", map[string]string{"go.mod": "module loadgen\n\nrequire (\n\texample.org/module v1.0.0 // indirect\n)\n"}, ""}},
	}}
}

// oneFile is a module of one file of package x with the given body.
func oneFile(path, body string) map[string]string {
	return map[string]string{path: "package x\n\n" + body + "\n"}
}

// with is a module with one more file, which is empty.
func with(files map[string]string, path string) map[string]string {
	files[path] = "package x\n"
	return files
}

// everyRoomBut is a module with a package for each row of the table but one,
// and one more.
func everyRoomBut(missing, added string) map[string]string {
	files := map[string]string{}
	for _, row := range append(slices.Clone(rows), row{path: added}) {
		if row.path != missing && row.path != "" {
			files[row.path+"/x.go"] = "package x\n"
		}
	}
	return files
}

// rowOf returns which row of the table is a package's, -1 where none is.
func rowOf(path string) int {
	return slices.IndexFunc(rows, func(r row) bool { return r.path == path })
}

// eachImport calls with every import of the code, tests excepted.
func (h *house) eachImport(call func(r *room, spec *ast.ImportSpec, target string)) {
	for _, r := range h.rooms {
		for _, s := range r.code {
			for _, spec := range s.ast.Imports {
				target, _ := strconv.Unquote(spec.Path.Value)
				call(r, spec, target)
			}
		}
	}
}

func checkArrows(h *house) (faults []string) {
	h.eachImport(func(r *room, spec *ast.ImportSpec, target string) {
		target, ours := strings.CutPrefix(target, moduleName)
		i := rowOf(r.path)
		if !ours || i < 0 || slices.Contains(rows[i].imports, target) {
			return
		}
		faults = append(faults, fmt.Sprintf("%s: %s imports %s, which no arrow allows (they lead to: %s); "+
			"declare what is needed as a small interface or a plain value here and have the caller hand it in, or move the code to a package that may",
			h.at(spec), r.path, target, strings.Join(rows[i].imports, ", ")))
	})
	return faults
}

func checkRows(h *house) (faults []string) {
	standing := map[string]bool{}
	for _, r := range h.rooms {
		if len(r.code) == 0 {
			continue
		}
		standing[r.path] = true
		if rowOf(r.path) < 0 {
			faults = append(faults, fmt.Sprintf("%s has no row in the table of rooms; add it there, with the fewest imports that do", r.path))
		}
	}
	for i, row := range rows {
		switch {
		case rowOf(row.path) < i:
			faults = append(faults, fmt.Sprintf("%s has two rows in the table of rooms; make them one", row.path))
		case !standing[row.path]:
			faults = append(faults, fmt.Sprintf("there is no package for the row of %s in the table of rooms; take the row away", row.path))
		}
	}
	return faults
}

// within reports whether a package is a module's.
func within(target, module string) bool {
	return target == module || strings.HasPrefix(target, module+"/")
}

// ownerOf returns the owner of a third-party package, empty where none has it.
func ownerOf(target string) string {
	inside := func(module string) bool { return within(target, module) }
	for _, row := range rows {
		if slices.ContainsFunc(row.owns, inside) {
			return row.path
		}
	}
	if slices.ContainsFunc(testModules, inside) {
		return testsOnly
	}
	return ""
}

func checkOwners(h *house) (faults []string) {
	h.eachImport(func(r *room, spec *ast.ImportSpec, target string) {
		first, _, _ := strings.Cut(target, "/")
		if !strings.Contains(first, ".") {
			return
		}
		owner := ownerOf(target)
		if at := rowOf(r.path); at >= 0 && slices.ContainsFunc(rows[at].owns, func(module string) bool { return within(target, module) }) {
			return
		}
		switch owner {
		case "":
			faults = append(faults, fmt.Sprintf("%s: no package owns %s; write it with the standard library, or give the module an owner in the table of rooms with the reason in the commit", h.at(spec), target))
		case testsOnly:
			faults = append(faults, fmt.Sprintf("%s: %s is for tests alone; write it with the standard library", h.at(spec), target))
		default:
			faults = append(faults, fmt.Sprintf("%s: %s owns %s; call what it exports instead of the module", h.at(spec), owner, target))
		}
	})
	return faults
}

func checkRequirements(h *house) (faults []string) {
	block := false
	for n, line := range strings.Split(h.requirements, "\n") {
		fields := strings.Fields(strings.TrimPrefix(line, "require "))
		switch {
		case strings.HasPrefix(line, "require ("):
			block = true
		case strings.HasPrefix(line, ")"):
			block = false
		case !block && !strings.HasPrefix(line, "require "), len(fields) < 2, strings.Contains(line, "// indirect"):
		case ownerOf(fields[0]) == "":
			faults = append(faults, fmt.Sprintf("go.mod:%d: %s has no owner; give it one in the table of rooms, or do without it", n+1, fields[0]))
		}
	}
	return faults
}
