package house_test

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// row is a package in the table of rooms of ARCHITECTURE.md: which packages of this module it may
// import (tests are free to), and which third-party modules it alone may, by the beginning of the
// import path. Of the core that Azure's SDKs share each room that has one of them is an owner.
type row struct {
	path          string
	imports, owns []string
}

// readRows returns the rows between the two comments of the page that enclose the table.
func readRows(page string) (rows []row) {
	_, table, _ := strings.Cut(page, "<!-- The table is what go test ./cmd/loadgen/house checks -->\n")
	table, _, _ = strings.Cut(table, "<!-- end of the table -->\n")
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) == 4 && strings.HasPrefix(line, "| `") {
			rows = append(rows, row{quoted(cells[0])[0], quoted(cells[2]), quoted(cells[3])})
		}
	}
	return rows
}

// quoted returns what a text of Markdown has as code.
func quoted(cell string) (codes []string) {
	for i, text := range strings.Split(cell, "`") {
		if i%2 == 1 {
			codes = append(codes, text)
		}
	}
	return codes
}

func importRules() []rule {
	return []rule{
		{"packages import along the arrows of the architecture only", checkArrows},
		{"every package has a row in the table of rooms, and every row a package", checkRows},
		{"a third-party module is imported by the one package that owns it", checkOwners},
	}
}

// rowOf returns which row of the table is a package's, -1 where none is.
func (h *house) rowOf(path string) int {
	return slices.IndexFunc(h.rows, func(r row) bool { return r.path == path })
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
		i := h.rowOf(r.path)
		if !ours || i < 0 || slices.Contains(h.rows[i].imports, target) {
			return
		}
		faults = append(faults, fmt.Sprintf("%s: %s imports %s, which no arrow allows (they lead to: %s); "+
			"declare what is needed as a small interface or a plain value here and have the caller hand it in, or move the code to a package that may",
			h.at(spec), r.path, target, strings.Join(h.rows[i].imports, ", ")))
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
		if h.rowOf(r.path) < 0 {
			faults = append(faults, fmt.Sprintf("%s has no row in the table of rooms; add it there, with the fewest imports that do", r.path))
		}
	}
	for i, row := range h.rows {
		switch {
		case h.rowOf(row.path) < i:
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
func (h *house) ownerOf(target string) string {
	inside := func(module string) bool { return within(target, module) }
	for _, row := range h.rows {
		if slices.ContainsFunc(row.owns, inside) {
			return row.path
		}
	}
	return ""
}

func checkOwners(h *house) (faults []string) {
	h.eachImport(func(r *room, spec *ast.ImportSpec, target string) {
		first, _, _ := strings.Cut(target, "/")
		if !strings.Contains(first, ".") || r.support() {
			return
		}
		owner := h.ownerOf(target)
		if at := h.rowOf(r.path); at >= 0 && slices.ContainsFunc(h.rows[at].owns, func(module string) bool { return within(target, module) }) {
			return
		}
		if owner == "" {
			faults = append(faults, fmt.Sprintf("%s: no package owns %s; write it with the standard library, or give the module an owner in the table of rooms with the reason in the commit", h.at(spec), target))
		} else {
			faults = append(faults, fmt.Sprintf("%s: %s owns %s; call what it exports instead of the module", h.at(spec), owner, target))
		}
	})
	return faults
}
