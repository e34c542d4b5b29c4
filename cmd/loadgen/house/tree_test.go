package house_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// moduleName is what the paths of the module's own packages begin with.
const moduleName = "loadgen/"

// house is the whole tree as its rules see it.
type house struct {
	fset *token.FileSet
	// rooms are the packages, sorted by path.
	rooms []*room
	// rows is the table of ARCHITECTURE.md.
	rows []row
}

// room is one package: its files by what they are for.
type room struct {
	// path is the import path without the module's name.
	path string
	// code are the files that are built, under whatever build tags, tests the
	// _test.go files.
	code, tests []*source
	// uses says what the identifiers in code stand for, as far as the package
	// alone can tell.
	uses  map[*ast.Ident]types.Object
	scope *types.Scope
}

// support reports whether only tests import the package: it is called like the one above it.
func (r *room) support() bool { return path.Base(r.path) == path.Base(path.Dir(r.path))+"test" }

// source is one Go file.
type source struct {
	path string
	ast  *ast.File
}

// readHouse reads a tree. It leaves out what the go command does, run outputs and
// what npm has fetched. Of tests it reads no more than their package's name.
func readHouse(tree fs.FS) (*house, error) {
	h := &house{fset: token.NewFileSet()}
	rooms := map[string]*room{}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if leftOut(name) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return h.read(tree, name, rooms)
	})
	for _, r := range rooms {
		h.rooms = append(h.rooms, r)
		r.resolve(h.fset)
	}
	slices.SortFunc(h.rooms, func(a, b *room) int { return strings.Compare(a.path, b.path) })
	return h, err
}

func leftOut(folder string) bool {
	base := path.Base(folder)
	return folder == "results/runs" || base == "testdata" || base == "node_modules" || folder != "." && base[0] == '.'
}

func (h *house) read(tree fs.FS, name string, rooms map[string]*room) error {
	if path.Ext(name) != ".go" && name != "ARCHITECTURE.md" {
		return nil
	}
	content, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	if name == "ARCHITECTURE.md" {
		h.rows = readRows(string(content))
		return nil
	}
	test, mode := strings.HasSuffix(name, "_test.go"), parser.ParseComments|parser.SkipObjectResolution
	if test {
		mode = parser.PackageClauseOnly
	}
	file, err := parser.ParseFile(h.fset, name, content, mode)
	if err != nil {
		return fmt.Errorf("%s is not Go: %w", name, err)
	}
	folder := path.Dir(name)
	if rooms[folder] == nil {
		rooms[folder] = &room{path: folder}
	}
	r := rooms[folder]
	if test {
		r.tests = append(r.tests, &source{name, file})
	} else {
		r.code = append(r.code, &source{name, file})
	}
	return nil
}

// resolve finds out what identifiers stand for. Imported packages are taken for
// empty ones, which is enough to tell an import from a variable of that name,
// and needs nothing to be built; all that is then unknown is passed over.
func (r *room) resolve(fset *token.FileSet) {
	r.uses = map[*ast.Ident]types.Object{}
	var files []*ast.File
	for _, s := range r.code {
		files = append(files, s.ast)
	}
	config := types.Config{Importer: strangers{}, Error: func(error) {}}
	pkg, _ := config.Check(moduleName+r.path, fset, files, &types.Info{Uses: r.uses})
	r.scope = pkg.Scope()
}

// strangers imports every package as an empty one.
type strangers struct{}

func (strangers) Import(name string) (*types.Package, error) {
	pkg := types.NewPackage(name, likelyName(name))
	pkg.MarkComplete()
	return pkg, nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// likelyName returns the name that an import path has by convention.
func likelyName(name string) string {
	base := path.Base(name)
	if majorVersion.MatchString(base) && name != base {
		base = path.Base(path.Dir(name))
	}
	return base
}

// imported returns the import path that a qualified identifier is of, and false
// where what stands before the dot is no package.
func (r *room) imported(file *ast.File, x ast.Expr) (string, bool) {
	id, ok := x.(*ast.Ident)
	if !ok {
		return "", false
	}
	if known := r.uses[id]; known != nil {
		name, ok := known.(*types.PkgName)
		if !ok {
			return "", false
		}
		return name.Imported().Path(), true
	}
	// What the checker did not get to is taken for an import of that name.
	for _, spec := range file.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		name := likelyName(target)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == id.Name {
			return target, true
		}
	}
	return "", false
}

// at returns where a node stands, for a message.
func (h *house) at(node ast.Node) string {
	position := h.fset.Position(node.Pos())
	return fmt.Sprintf("%s:%d", position.Filename, position.Line)
}
