package procedure

import (
	"fmt"
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

// sealKinds returns the procedures of client-side encryption: one property of an entity
// is stored such that whoever has no key cannot read it.
func sealKinds() []Kind {
	property := Parameter{Name: "property", Says: "The property that is sealed: a String that nothing else of the entity tells.",
		Type: OfProperty, Required: true}
	sealed := Parameter{Name: "sealed", Says: "Whether it is sealed; false stores and expects it as it is.", Type: OfTruth, Default: "true"}
	verb := Parameter{Name: "verb", Says: "How the entity is written; a merge is refused.",
		Type: OfChoice, Choices: []string{"insert", "insert-or-replace", "merge"}, Default: "insert"}
	check := func(s *Setting, a Arguments) Check { return newUnsealed(s, a.Text("property")) }
	return []Kind{{
		Name: "seal-put", Says: "Writes a new entity with one property sealed by a content key of its own.",
		Inserts: true, Parameters: []Parameter{property, sealed, verb}, Tallies: []string{"added-bytes"},
		Serves: func(d *Design, a Arguments) []Lack { return append(sealable(d, a), unmerged(a)...) },
		New:    func(c *Call) Procedure { return newSealPut(c) }, Check: check,
	}, {
		Name: "seal-replace", Says: "Replaces a loaded entity, that of the operation's number, by one with the property sealed.",
		Parameters: []Parameter{property, sealed}, Tallies: []string{"added-bytes"},
		Serves: func(d *Design, a Arguments) []Lack {
			if lacks := sealable(d, a); d.Loaded || len(lacks) > 0 {
				return lacks
			}
			return []Lack{{Says: "it replaces entities that were loaded, and nothing is loaded before; expected a load first"}}
		},
		New: func(c *Call) Procedure { return newSealReplace(c) }, Check: check,
	}, {
		Name: "seal-get", Says: "Reads an entity, opens its sealed property, and compares it with what was written.",
		Reads: true, Parameters: []Parameter{property}, Tallies: []string{"opened", "broken", "clear", "missing"},
		Serves: sealable,
		New:    func(c *Call) Procedure { return newSealGet(c) },
	}}
}

// sealable returns what keeps a property from being sealed: that it is no text, or that
// what it says stands in a key or in another property, too.
func sealable(d *Design, a Arguments) []Lack {
	lack := func(format string, values ...any) []Lack {
		return []Lack{{Parameter: "property", Says: fmt.Sprintf(format, values...)}}
	}
	i := slices.IndexFunc(d.Properties, func(p DesignProperty) bool { return p.Name == a.Text("property") })
	if i < 0 {
		return nil
	}
	one := d.Properties[i]
	if one.Type != entity.TypeString {
		return lack("property %s is of type %v, and texts are what is sealed; expected one of type String", one.Name, one.Type)
	}
	if one.Attribute == "" {
		return nil
	}
	for _, names := range [][]string{d.Own.PartitionNames, d.Own.RowNames} {
		if slices.Contains(names, one.Attribute) {
			return lack("property %s is {%s}, which stands in a key, and keys are never sealed; expected a property that no key tells", one.Name, one.Attribute)
		}
	}
	for _, other := range d.Properties {
		if other.Name != one.Name && other.Attribute == one.Attribute {
			return lack("property %s is {%s}, and so is %s, which is not sealed; expected a property that no other tells", one.Name, one.Attribute, other.Name)
		}
	}
	return nil
}

// unmerged refuses a merge: it would bring a content key of its own, and what the entity
// has sealed by the one before could not be opened any more.
func unmerged(a Arguments) []Lack {
	if a.Text("verb") != "merge" {
		return nil
	}
	return []Lack{{Parameter: "verb", Says: "a merge would replace the content key and leave what was sealed by it behind; " +
		"expected insert or insert-or-replace"}}
}

// sealing returns what an entity is stored as, and by how many bytes more than its own.
func sealing(c *Call, about Subject) (key entity.Key, properties []entity.Property, added int) {
	key, properties = about.Key(""), about.Properties()
	if !c.Arguments.Truth("sealed") {
		return key, properties, 0
	}
	draw, plain := c.Chance, entity.Size(key, properties)
	properties = newMasterKey(c.Table).seal(&draw, key, properties, c.Arguments.Text("property"))
	return key, properties, entity.Size(key, properties) - plain
}

// newSealPut returns the write of a new entity.
func newSealPut(c *Call) *Script {
	key, properties, added := sealing(c, c.Subject)
	verb := entity.Insert
	if c.Arguments.Text("verb") == "insert-or-replace" {
		verb = entity.InsertOrReplace
	}
	change := entity.Change{Verb: verb, Key: key, Properties: properties}
	return NewScript(func(s *Script) Request {
		return WriteOne(c.Table, change, target.Expected{}, func(Attempt) Turn {
			s.Add("added-bytes", int64(added))
			return End()
		})
	})
}

// newSealReplace returns the replacement of a loaded entity by its sealed form. It is
// written whole, so that a second time is the same.
func newSealReplace(c *Call) *Script {
	key, properties, added := sealing(c, c.Member(c.K%c.Loaded))
	change := entity.Change{Verb: entity.Replace, Key: key, Properties: properties, Match: entity.MatchAny}
	return NewScript(func(s *Script) Request {
		return WriteOne(c.Table, change, target.Expected{}, func(Attempt) Turn {
			s.Add("added-bytes", int64(added))
			return End()
		})
	})
}

// newSealGet returns a read that opens what it has read.
func newSealGet(c *Call) *Script {
	name, key := c.Arguments.Text("property"), c.Subject.Key("")
	return NewScript(func(s *Script) Request {
		return Read(c.Table, key, func(a Attempt) Turn {
			stored, some := a.Outcome.Entity.Lookup(name)
			switch {
			case a.Outcome.Status == 404 || !some:
				s.Add("missing", 1)
			case stored.Type() == entity.TypeString:
				s.Add("clear", 1)
			case newMasterKey(c.Table).opens(key, a.Outcome.Entity, name, plainText(c.Subject, name)):
				s.Add("opened", 1)
			default:
				s.Add("broken", 1)
			}
			return End()
		})
	})
}

// plainText returns what a property of an entity says before it is sealed.
func plainText(about Subject, name string) string {
	for _, p := range about.Properties() {
		if p.Name == name {
			return p.Value.Text()
		}
	}
	return ""
}
