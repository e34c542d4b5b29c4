package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/target"
)

// Resumption is where a query begins that goes on with one which broke off: at a
// continuation token, which is opaque text. The zero value is the beginning.
type Resumption struct {
	_ struct{} `object:"from" one:"saved,file"`
	// Token is the text of the token; that of a file once it is read.
	Token string
	// Saved is the name under which operations of an earlier phase save it. Where they
	// have left none, as when all was read, the query begins at the beginning.
	Saved string `yaml:"saved,omitempty" says:"Name of a token saved in an earlier phase." form:"name"`
	// File is the path of a file that has the text, from the folder of the scenario.
	File string `yaml:"file,omitempty" says:"A file with the token, relative to the scenario's folder." form:"path"`
}

// IsGiven reports whether a query begins anywhere but at the beginning.
func (f Resumption) IsGiven() bool { return f != Resumption{} }

// Binding implements [fields.Bound]: the text of a token, or a map that says where it is.
func (f *Resumption) Binding() fields.Binding {
	text := fields.Text{Into: &f.Token, Allow: isToken, Expected: "a continuation token, such as from.TllD.MDAx, {saved: NAME} or {file: PATH}"}
	elsewhere := func() bool { return f.Saved != "" || f.File != "" }
	return fields.Either{{Binding: text, Given: func() bool { return f.IsGiven() && !elsewhere() }},
		{Binding: bind(f), Takes: fields.Dict, Given: elsewhere}}
}

func isToken(text string) bool {
	token := target.Token{}
	return token.UnmarshalText([]byte(text)) == nil && token.Present
}

// maxTokenFile bounds what is read of a file that has a token, in bytes: more than a
// token has, and a line end.
const maxTokenFile = 17 << 10

// tokens checks that queries which save or take up a token ask one thing, the same one,
// and that it was saved before.
func (c *checker) tokens() {
	saving := make(map[string]*OperationSpec)
	at := make(map[string]*Traffic)
	for i := range c.Phases {
		t := c.Phases[i].Traffic
		if t == nil {
			continue
		}
		own := make(map[string]bool)
		for j := range t.Operations {
			o, path := &t.Operations[j], fmt.Sprintf("phases.%d.%s.operations.%d", i, c.Phases[i].Kind(), j)
			if !c.sound(path) || t.Events() {
				continue
			}
			c.oneQuery(t, o, path)
			if o.From.Saved != "" && c.sound(path) {
				c.takesUp(t, o, at[o.From.Saved], saving, path)
			}
			if o.Save != "" && own[o.Save] {
				c.add(path+".save", "another operation of the phase saves %q; expected another name", o.Save)
			}
			own[o.Save] = true
		}
		for j := range t.Operations {
			if o := &t.Operations[j]; o.Save != "" {
				saving[o.Save], at[o.Save] = o, t
			}
		}
	}
}

// oneQuery checks that a token of an operation can belong to one query.
func (c *checker) oneQuery(t *Traffic, o *OperationSpec, path string) {
	field := "save"
	if o.Save == "" {
		field = "from"
	}
	if o.Save == "" && o.From.Saved == "" {
		return
	}
	c.reportFirst(path, []rule{
		{o.Class != ClassTableScan && t.Partitions != 1 && len(t.Keys) != 1, field,
			"the token's query covers one partition; expected one partition, or class table-scan"},
		{strings.Contains(o.Where, "{"), field, "where of the token's query has attributes; expected none"},
	}...)
}

// takesUp checks that a query goes on with the one whose token was saved.
func (c *checker) takesUp(t *Traffic, o *OperationSpec, at *Traffic, saving map[string]*OperationSpec, path string) {
	path += ".from.saved"
	by := saving[o.From.Saved]
	saved := slices.ContainsFunc(c.Phases, func(p Phase) bool {
		return slices.ContainsFunc(p.Operations(), func(other OperationSpec) bool { return other.Save == o.From.Saved })
	})
	switch {
	case by == nil && saved:
		c.add(path, "no earlier phase saves %q; expected one", o.From.Saved)
	case by == nil && len(saving) == 0:
		c.add(path, "no earlier phase saves a token; expected save: %s", o.From.Saved)
	case by == nil:
		var names []string
		for name := range saving {
			names = append(names, name)
		}
		slices.Sort(names)
		c.add(path, "%s", nearest.Unknown("saved token", o.From.Saved, names))
	case by.Class != o.Class || by.Where != o.Where || by.Partitions != o.Partitions ||
		o.Class != ClassTableScan && (t.Partitions != at.Partitions || !slices.Equal(t.Keys, at.Keys)):
		c.add(path, "operation %q saves the token of another query; expected the same class, where and partitions", by.Name)
	}
}
