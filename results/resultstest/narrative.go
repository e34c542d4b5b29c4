package resultstest

import (
	"reflect"
	"strings"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// CheckNarrative checks that the rules of a narrative name fields and methods that the evidence has, whether or not a
// test writes them. Functions are those of the narrative.
func CheckNarrative(t testing.TB, table string, evidence any, functions template.FuncMap) {
	t.Helper()
	root := template.New("").Funcs(functions)
	for text := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
		_, err := root.New(text).Parse(text)
		require.NoError(t, err)
	}
	c := &templateTypes{t, root, reflect.TypeOf(evidence), make(map[string]bool)}
	for _, one := range root.Templates() {
		if one.Tree != nil && one.Name() == one.ParseName {
			c.check(one.Root, c.root, map[string]reflect.Type{"$": c.root})
		}
	}
}

// templateTypes resolves the types of templates. A nil type is unknown.
type templateTypes struct {
	t       testing.TB
	all     *template.Template
	root    reflect.Type
	checked map[string]bool
}

func (c *templateTypes) check(node parse.Node, dot reflect.Type, vars map[string]reflect.Type) {
	branch := func(b *parse.BranchNode, within reflect.Type) {
		c.check(b.List, within, vars)
		if b.ElseList != nil {
			c.check(b.ElseList, dot, vars)
		}
	}
	switch n := node.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			c.check(one, dot, vars)
		}
	case *parse.ActionNode:
		c.pipe(n.Pipe, dot, vars)
	case *parse.IfNode:
		c.pipe(n.Pipe, dot, vars)
		branch(&n.BranchNode, dot)
	case *parse.WithNode:
		branch(&n.BranchNode, c.pipe(n.Pipe, dot, vars))
	case *parse.RangeNode:
		within := c.pipe(n.Pipe, dot, vars)
		if within != nil {
			within = within.Elem()
		}
		if declared := n.Pipe.Decl; len(declared) > 1 {
			vars[declared[1].Ident[0]] = within
		}
		branch(&n.BranchNode, within)
	case *parse.TemplateNode:
		within := c.pipe(n.Pipe, dot, vars)
		if within != nil && !c.checked[n.Name+within.String()] {
			c.checked[n.Name+within.String()] = true
			c.check(c.all.Lookup(n.Name).Root, within, map[string]reflect.Type{"$": within})
		}
	}
}

// pipe checks a pipeline and returns the type of its value.
func (c *templateTypes) pipe(pipe *parse.PipeNode, dot reflect.Type, vars map[string]reflect.Type) (value reflect.Type) {
	for _, command := range pipe.Cmds {
		for i, argument := range command.Args {
			var found reflect.Type
			switch a := argument.(type) {
			case *parse.DotNode:
				found = dot
			case *parse.FieldNode:
				found = c.member(dot, a.Ident, a)
			case *parse.VariableNode:
				found = c.member(vars[a.Ident[0]], a.Ident[1:], a)
			case *parse.PipeNode:
				found = c.pipe(a, dot, vars)
			}
			if i == 0 {
				value = found
			}
		}
	}
	return value
}

// member returns the type of a chain of fields and methods.
func (c *templateTypes) member(of reflect.Type, names []string, at parse.Node) reflect.Type {
	for _, name := range names {
		if of == nil || of.Kind() == reflect.Interface {
			return nil
		}
		pointer := of
		if of.Kind() != reflect.Pointer {
			pointer = reflect.PointerTo(of)
		}
		method, is := pointer.MethodByName(name)
		if is {
			of = method.Type.Out(0)
			continue
		}
		var field reflect.StructField
		if pointer.Elem().Kind() == reflect.Struct {
			field, is = pointer.Elem().FieldByName(name)
		}
		if !assert.Truef(c.t, is, "%s: %s has no %s", at, of, name) {
			return nil
		}
		of = field.Type
	}
	return of
}
