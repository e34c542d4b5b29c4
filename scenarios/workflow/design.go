package workflow

import (
	"fmt"
	"slices"

	"loadgen/engine/entity"
)

// Design is what workflows have to know of a scenario before it runs.
type Design struct {
	// Attributes are the names of the facts that an entity is formed from, Properties
	// what it has, Filler the name of the one that pads it, empty for none.
	Attributes []string
	Properties []DesignProperty
	Filler     string
	// Own is where entities lie, Places the further keys by name.
	Own    DesignPlace
	Places map[string]DesignPlace
	// Copied says that entities have copies under other keys.
	Copied bool
	// Loaded says that entities are loaded before the operation's phase.
	Loaded bool
}

// lackIf returns what a design lacks where a condition holds, nil otherwise.
func lackIf(lacks bool, parameter, says string, values ...any) []Lack {
	if !lacks {
		return nil
	}
	return []Lack{{parameter, fmt.Sprintf(says, values...)}}
}

// DesignProperty is a property of the entities of a design. Attribute is the one that
// is its whole value, empty where it is made of something else.
type DesignProperty struct {
	Name, Attribute string
	Type            entity.Type
}

// DesignPlace is where something lies: what its table's name adds to that of the
// run's, and the templates of its keys with the attributes in them.
type DesignPlace struct {
	Table                    string
	PartitionKey, RowKey     string
	PartitionNames, RowNames []string
}

// names returns the attributes in the keys.
func (p DesignPlace) names() []string { return slices.Concat(p.PartitionNames, p.RowNames) }

// Place returns the place with a name, "" for the entities' own.
func (d *Design) Place(place string) DesignPlace {
	if place == "" {
		return d.Own
	}
	return d.Places[place]
}

// AttributeOf returns the attribute that is the whole value of a String, false for none.
func (d *Design) AttributeOf(property string) (string, bool) {
	p := d.Property(property)
	return p.Attribute, p.Attribute != "" && (p.Type == entity.TypeString || p.Type == 0)
}

// Property returns the property with a name, the zero value for none.
func (d *Design) Property(name string) DesignProperty {
	for _, p := range d.Properties {
		if p.Name == name {
			return p
		}
	}
	return DesignProperty{}
}

// PartitionWide says what is missing for a place to have one entity for each partition of
// the entities, under the PartitionKey that they have.
func (d *Design) PartitionWide(parameter, place string) []Lack {
	there := d.Place(place)
	differs := slices.ContainsFunc(there.RowNames, func(name string) bool { return !slices.Contains(d.Own.PartitionNames, name) })
	return lackIf(there.PartitionKey != d.Own.PartitionKey || differs, parameter,
		"place %s is at %s, %s; expected PartitionKey %s, and a RowKey of its attributes only", place, there.PartitionKey, there.RowKey, d.Own.PartitionKey)
}
