package house_test

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// arrows says which packages of the module each package may import, by exact
// path. Tests are free to import what they exercise.
var arrows = map[string][]string{
	"backoff":                    {"engine/nearest"},
	"cmd/loadgen":                commandImports,
	"engine":                     {"engine/clock", "engine/entity", "engine/filter", "engine/model", "engine/partition", "engine/store"},
	"engine/archive":             {"engine/csvfile", "engine/entity", "engine/wire"},
	"engine/clock":               {},
	"engine/csvfile":             {},
	"engine/entity":              {},
	"engine/fault":               {},
	"engine/filter":              {"engine/entity"},
	"engine/model":               {},
	"engine/nearest":             {},
	"engine/partition":           {"engine/clock", "engine/entity", "engine/model"},
	"engine/rest":                {"engine", "engine/clock", "engine/entity", "engine/fault", "engine/filter", "engine/wire"},
	"engine/rest/serve":          {"engine", "engine/archive", "engine/clock", "engine/entity", "engine/model", "engine/rest", "engine/wire"},
	"engine/store":               {"engine/entity", "engine/filter"},
	"engine/wire":                {"engine/entity"},
	"report":                     {"report/chart", "report/document", "report/exchange", "report/html", "report/plain", "report/verdict", "results", "results/catalog"},
	"report/chart":               {"results"},
	"report/compare":             {"results"},
	"report/contrast":            {"report/compare", "report/verdict", "results", "results/baseline"},
	"report/document":            {},
	"report/html":                {"report/document"},
	"report/exchange":            {"report/forms", "report/verdict", "results"},
	"report/forms":               {},
	"report/nights":              {"engine/nearest", "report/chart", "report/compare", "report/verdict", "results", "results/expectation"},
	"report/plain":               {},
	"report/ranking":             {"report/compare", "report/plain", "report/verdict", "results"},
	"report/ruling":              {"report/compare", "report/forms", "results/expectation"},
	"report/verdict":             {"results", "results/expectation"},
	"results":                    {},
	"results/baseline":           {"results"},
	"results/catalog":            {"engine/nearest", "results"},
	"results/expectation":        {},
	"scenarios":                  {"backoff", "engine/clock", "engine/csvfile", "engine/entity", "engine/filter", "engine/model", "engine/nearest", "results/expectation", "scenarios/arrival", "scenarios/keys", "scenarios/procedure", "target"},
	"scenarios/arrival":          {"engine/clock", "engine/csvfile", "engine/entity"},
	"scenarios/doctor":           {"engine/clock", "engine/entity", "engine/fault", "engine/model", "engine/rest", "report/plain", "report/verdict", "results", "scenarios", "scenarios/arrival", "scenarios/drive", "scenarios/run", "scenarios/vitals", "target", "target/azure", "target/fault"},
	"scenarios/drive":            {"backoff", "engine/clock", "engine/entity", "engine/filter", "results", "scenarios", "scenarios/arrival", "scenarios/keys", "scenarios/procedure", "target"},
	"scenarios/explain":          {"backoff", "engine/clock", "engine/entity", "engine/filter", "scenarios", "scenarios/drive", "scenarios/keys", "scenarios/survey"},
	"scenarios/keys":             {"engine/clock", "engine/csvfile", "engine/entity", "engine/filter", "engine/nearest"},
	"scenarios/laboratory":       {"backoff", "engine/clock", "engine/entity", "engine/fault", "engine/model", "engine/nearest", "report/verdict", "results", "scenarios/arrival", "scenarios/drive", "scenarios/run", "target", "target/fault"},
	"scenarios/observe":          {"engine/clock", "engine/entity", "engine/model", "engine/rest", "report/verdict", "results", "scenarios/survey", "scenarios/survey/sketch"},
	"scenarios/procedure":        {"engine/clock", "engine/entity", "engine/filter", "target"},
	"scenarios/pulse":            {"results", "scenarios/survey/sketch"},
	"scenarios/pulse/exposition": {"results", "scenarios/pulse"},
	"scenarios/run":              {"backoff", "engine", "engine/clock", "engine/entity", "engine/fault", "engine/model", "engine/nearest", "engine/rest", "engine/wire", "report/plain", "report/verdict", "results", "scenarios", "scenarios/drive", "scenarios/vitals", "target", "target/azure", "target/inprocess", "target/shard", "target/standin"},
	"scenarios/series":           {"engine/clock", "engine/entity", "engine/nearest", "report", "report/chart", "report/compare", "report/plain", "report/ranking", "report/ruling", "report/verdict", "results", "results/baseline", "results/expectation", "scenarios", "scenarios/explain", "scenarios/keys", "scenarios/run", "scenarios/suggest", "scenarios/survey"},
	"scenarios/suggest":          {"engine/clock", "engine/entity", "engine/filter", "engine/model", "results/expectation", "scenarios", "scenarios/explain", "scenarios/keys", "scenarios/survey"},
	"scenarios/survey":           {"engine/clock", "engine/csvfile", "engine/entity", "engine/nearest", "results", "scenarios/survey/sketch"},
	"scenarios/survey/sketch":    {},
	"scenarios/vitals":           {"engine/clock", "results"},
	"target":                     {"engine/clock", "engine/entity", "engine/filter"},
	"target/azure":               {"engine/clock", "engine/entity", "engine/filter", "engine/wire", "target"},
	"target/fault":               {"engine/clock", "engine/entity", "engine/fault", "target"},
	"target/inprocess":           {"engine", "engine/clock", "engine/entity", "target"},
	"target/shard":               {"engine/clock", "target"},
	"target/standin":             {"engine/clock", "engine/entity", "target"},
	"target/targettest":          {"engine/clock", "engine/entity", "target"},
}

// everything stands for all packages of the module.
const everything = "everything"

// owners says which package alone may import a third-party module, by the
// beginning of the import path; one that only tests use has no owner.
var owners = map[string]string{
	"github.com/HdrHistogram/hdrhistogram-go":             "results",
	"github.com/chromedp":                                 testsOnly,
	"github.com/creack/pty":                               testsOnly,
	"github.com/goccy/go-yaml":                            "scenarios",
	"github.com/google/go-cmp":                            testsOnly,
	"github.com/Azure/azure-sdk-for-go/sdk/azcore":        "target/standin",
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables": testsOnly,
	"github.com/Azure/azure-sdk-for-go/sdk/storage":       "target/standin",
	"github.com/prometheus/client_golang":                 "scenarios/pulse/exposition",
	"github.com/rogpeppe/go-internal":                     testsOnly,
	"github.com/spf13/cobra":                              "cmd/loadgen",
	"github.com/spf13/pflag":                              "cmd/loadgen",
	"github.com/tidwall/btree":                            "engine/store",
	"github.com/tsenart/vegeta/v12":                       "scenarios/drive",
	"github.com/vbauerster/mpb/v8":                        "cmd/loadgen",
	"golang.org/x/net":                                    testsOnly,
	"golang.org/x/term":                                   "cmd/loadgen",
	"gonum.org/v1/plot":                                   "report/chart",
}

const testsOnly = "tests"

func importRules() []rule {
	return []rule{{
		name:  "packages import along the arrows of the architecture only",
		check: checkArrows,
		broken: []snippet{
			{"the driving loop knows the engine", oneFile("scenarios/drive/x.go", `import _ "loadgen/engine"`), "scenarios/drive imports engine, which no arrow allows"},
			{"a leaf imports another", oneFile("results/x.go", `import _ "loadgen/engine/clock"`), "results imports engine/clock"},
			{"an arrow is by exact package", oneFile("report/chart/x.go", `import _ "loadgen/results/codec"`), "report/chart imports results/codec"},
			{"a file under a build tag counts", map[string]string{"backoff/x.go": "//go:build never\n\npackage x\n\nimport _ \"loadgen/target\"\n"}, "backoff imports target"},
		},
		sound: []snippet{
			{"the command imports what it shows", oneFile("cmd/loadgen/x.go", `import _ "loadgen/report"`), ""},
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
		name:  "ARCHITECTURE.md shows the arrows that the test holds",
		check: checkPage,
		broken: []snippet{
			{"a row is missing", pageBut("results", ""), "no row for results"},
			{"an arrow too many", pageBut("results", "| `results` | a room | `engine/clock` | – |\n"), "results import"},
			{"an arrow too few", pageBut("engine/filter", "| `engine/filter` | a room | – | – |\n"), "engine/filter import"},
			{"a room that is not there", pageBut("", "| `engine/balance` | a room | – | – |\n"), "engine/balance"},
		},
		sound: []snippet{{"the same", pageBut("", ""), ""}},
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
	for _, room := range append(slices.Collect(maps.Keys(arrows)), added) {
		if room != missing && room != "" {
			files[room+"/x.go"] = "package x\n"
		}
	}
	return files
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

func checkArrows(h *house) []string { return h.along(arrows) }

// along finds what the rooms of a table import besides what it allows them.
func (h *house) along(table map[string][]string) (faults []string) {
	h.eachImport(func(r *room, spec *ast.ImportSpec, target string) {
		target, ours := strings.CutPrefix(target, moduleName)
		allowed, listed := table[r.path]
		if !ours || !listed || slices.Contains(allowed, target) || slices.Contains(allowed, everything) {
			return
		}
		faults = append(faults, fmt.Sprintf("%s: %s imports %s, which no arrow allows (they lead to: %s); "+
			"declare what is needed as a small interface or a plain value here and have the caller hand it in, or move the code to a package that may",
			h.at(spec), r.path, target, strings.Join(allowed, ", ")))
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
		if _, listed := arrows[r.path]; !listed {
			faults = append(faults, fmt.Sprintf("%s has no row in the table of arrows; add it there and to ARCHITECTURE.md, with the fewest imports that do", r.path))
		}
	}
	for _, row := range slices.Sorted(maps.Keys(arrows)) {
		if !standing[row] {
			faults = append(faults, fmt.Sprintf("there is no package for the row of %s in the table of arrows; take the row away", row))
		}
	}
	return faults
}

// ownerOf returns the owner of a third-party package, empty where none has it.
func ownerOf(target string) string {
	for module, owner := range owners {
		if target == module || strings.HasPrefix(target, module+"/") {
			return owner
		}
	}
	return ""
}

func checkOwners(h *house) (faults []string) {
	h.eachImport(func(r *room, spec *ast.ImportSpec, target string) {
		first, _, _ := strings.Cut(target, "/")
		if !strings.Contains(first, ".") {
			return
		}
		switch owner := ownerOf(target); owner {
		case r.path:
		case "":
			faults = append(faults, fmt.Sprintf("%s: no package owns %s; write it with the standard library, or give the module an owner in the table with the reason in the commit", h.at(spec), target))
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
			faults = append(faults, fmt.Sprintf("go.mod:%d: %s has no owner; give it one in the table of owners, or do without it", n+1, fields[0]))
		}
	}
	return faults
}

// checkPage holds the table of ARCHITECTURE.md against that of the test.
func checkPage(h *house) (faults []string) {
	shown := rowsOf(h.page)
	for _, name := range slices.Sorted(maps.Keys(arrows)) {
		drawn, listed := shown[name]
		switch {
		case !listed:
			faults = append(faults, fmt.Sprintf("ARCHITECTURE.md has no row for %s; add it to the table of rooms", name))
		case !slices.Equal(drawn, slices.Sorted(slices.Values(arrows[name]))):
			faults = append(faults, fmt.Sprintf("ARCHITECTURE.md has %s import %q, the test %q; make the two the same", name, drawn, arrows[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if _, known := arrows[name]; !known {
			faults = append(faults, fmt.Sprintf("ARCHITECTURE.md has a row for %s, which the test does not know; take it away", name))
		}
	}
	return faults
}

// rowsOf returns what the table of rooms says: packages by what they import,
// sorted.
func rowsOf(page string) map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		name, quoted := strings.CutPrefix(strings.TrimSpace(cells[1]), "`")
		if !quoted {
			continue
		}
		imports := []string{}
		for i, part := range strings.Split(cells[3], "`") {
			if i%2 == 1 || strings.TrimSpace(part) == everything {
				imports = append(imports, strings.TrimSpace(part))
			}
		}
		rows[strings.TrimSuffix(name, "`")] = slices.Sorted(slices.Values(imports))
	}
	return rows
}

// pageBut is a module whose ARCHITECTURE.md has a row for each package of the
// table but one, which has the given row instead.
func pageBut(name, row string) map[string]string {
	page := "| package | what it is | may import | owns |\n|---|---|---|---|\n" + row
	for room, imports := range arrows {
		if room == name {
			continue
		}
		page += "| `" + room + "` | a room | "
		for _, target := range imports {
			if target == everything {
				page += everything
			} else {
				page += "`" + target + "`, "
			}
		}
		page += " | – |\n"
	}
	return map[string]string{"ARCHITECTURE.md": page}
}
