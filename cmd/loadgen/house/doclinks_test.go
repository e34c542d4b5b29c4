package house_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// docLink is a link in a comment: [Name], [Type.Method], [package.Name] or [package.Type.Method].
var docLink = regexp.MustCompile(`\[\*?((?:[a-z][a-z0-9_/.-]*\.)?)([A-Z]\w*)((?:\.[A-Z]\w*)?)\](?:[^\w(\[{]|$)`)

// TestDocLinks checks that links in comments lead to a declaration of this module.
func TestDocLinks(t *testing.T) {
	h := readTree(t)
	declared := make(map[string]map[string]bool)
	for _, r := range h.rooms {
		declared[r.path] = r.declared()
	}
	for _, r := range h.rooms {
		for _, s := range r.code {
			for _, group := range s.ast.Comments {
				for _, link := range docLink.FindAllStringSubmatch(group.Text(), -1) {
					of, ours, known := r.linked(s.ast, strings.TrimSuffix(link[1], "."))
					if !known || ours && !declared[of][link[2]+link[3]] {
						t.Errorf("%s: [%s%s%s] is not declared", h.at(group), link[1], link[2], link[3])
					}
				}
			}
		}
	}
}

// linked returns the package that a link names, by its path or as the file imports it; ours is
// false for a package of another module, known for a name that leads nowhere.
func (r *room) linked(file *ast.File, name string) (of string, ours, known bool) {
	if name == "" {
		return r.path, true, true
	}
	if of, ours = strings.CutPrefix(name, moduleName); ours || strings.Contains(name, "/") {
		return of, ours, true
	}
	for _, spec := range file.Imports {
		target, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && likelyName(target) == name {
			of, ours = strings.CutPrefix(target, moduleName)
			return of, ours, true
		}
	}
	return "", false, slices.Contains(standard, name)
}

// standard are packages of the standard library whose import path is their name.
var standard = []string{"context", "encoding", "errors", "io", "math", "os", "time"}

// declared returns the exported names of a package, with methods and fields as Type.Name.
func (r *room) declared() map[string]bool {
	names := make(map[string]bool)
	for _, s := range r.code {
		for _, d := range s.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = receiver(d.Recv.List[0].Type) + "." + name
				}
				names[name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							names[name.Name] = true
						}
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
						members(spec, names)
					}
				}
			}
		}
	}
	return names
}

// members adds the fields of a struct and the methods of an interface.
func members(spec *ast.TypeSpec, names map[string]bool) {
	var fields *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return
	}
	for _, field := range fields.List {
		for _, name := range field.Names {
			names[spec.Name.Name+"."+name.Name] = true
		}
	}
}

// receiver returns the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// errorPrefix is the beginning of an error that names a package.
var errorPrefix = regexp.MustCompile(`^([a-z]+): `)

// TestErrorPrefixes checks that an error that names a package of the module names its own.
func TestErrorPrefixes(t *testing.T) {
	h := readTree(t)
	packages := make(map[string]bool)
	for _, r := range h.rooms {
		packages[path.Base(r.path)] = true
	}
	for _, r := range h.rooms {
		own := path.Base(r.path)
		for _, s := range r.code {
			ast.Inspect(s.ast, func(n ast.Node) bool {
				text, sentinel := errorText(n)
				if prefix := errorPrefix.FindStringSubmatch(text); prefix != nil && prefix[1] != own && (sentinel || packages[prefix[1]]) {
					t.Errorf("%s: the error %.40q of package %s begins with %s", h.at(n), text, own, prefix[1])
				}
				return true
			})
		}
	}
}

// errorText returns the text of a call of errors.New, fmt.Errorf or panic; sentinel is true for the
// value of a variable of the package.
func errorText(n ast.Node) (text string, sentinel bool) {
	if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
		text, _ = errorText(spec.Values[0])
		return text, strings.HasPrefix(spec.Names[0].Name, "Err") || strings.HasPrefix(spec.Names[0].Name, "err")
	}
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", false
	}
	switch name := fmt.Sprint(calleeOf(call)); name {
	case "errors.New", "fmt.Errorf", "panic":
		if literal, ok := call.Args[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, _ = strconv.Unquote(literal.Value)
		}
	}
	return text, false
}

// calleeOf returns the name of a function that is called, with its package.
func calleeOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			return x.Name + "." + f.Sel.Name
		}
	}
	return ""
}
