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
	return []rule{
		{"packages import along the arrows of the architecture only", checkArrows},
		{"every package has a row in the table of arrows, and every row a package", checkRows},
		{"a third-party module is imported by the one package that owns it", checkOwners},
		{"every module that go.mod requires directly has an owner", checkRequirements},
	}
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
			if r.support() {
				return
			}
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
