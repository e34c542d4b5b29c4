package workflow

import (
	"fmt"
	"slices"

	"loadgen/engine/entity"
)

// Design describes a scenario's entities and keys to workflows, before it runs.
type Design struct {
	// Attributes are the names of the values that an entity is formed from, Filler is the name of the
	// property that pads it, empty for none.
	Attributes []string
	Properties []DesignProperty
	Filler     string
	// Own is the place of the entities, Places are further places by name.
	Own    DesignPlace
	Places map[string]DesignPlace
	// Copied reports that entities have copies under other keys.
	Copied bool
	// Loaded reports that entities are loaded before the operation's phase.
	Loaded bool
}

// lackIf returns a lack if a condition holds, nil otherwise.
func lackIf(lacks bool, parameter, says string, values ...any) []Lack {
	if !lacks {
		return nil
	}
	return []Lack{{parameter, fmt.Sprintf(says, values...)}}
}

// DesignProperty is a property of the entities of a design. Attribute is the attribute that is its
// whole value, empty for none.
type DesignProperty struct {
	Name, Attribute string
	Type            entity.Type
}

// DesignPlace is a place: the suffix of its table's name, and the templates of its keys with their
// attributes.
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

// PartitionWide returns what a place lacks to have one entity for each partition of the entities,
// under their PartitionKey.
func (d *Design) PartitionWide(parameter, place string) []Lack {
	at := d.Place(place)
	differs := slices.ContainsFunc(at.RowNames, func(name string) bool { return !slices.Contains(d.Own.PartitionNames, name) })
	return lackIf(at.PartitionKey != d.Own.PartitionKey || differs, parameter,
		"place %s is at %s, %s; expected PartitionKey %s, and a RowKey of its attributes only", place, at.PartitionKey, at.RowKey, d.Own.PartitionKey)
}
