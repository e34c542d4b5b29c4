package replay

import (
	"errors"
	"fmt"
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/keys"
)

// ErrKeys is wrapped by errors about patterns and designs.
var ErrKeys = errors.New("replay: impossible keys")

// Pattern says how the keys of a log were formed: templates that are read backwards.
type Pattern struct{ PartitionKey, RowKey string }

// Design is how keys are formed anew, of the attributes that a pattern finds.
type Design struct{ Name, PartitionKey, RowKey string }

// forming takes keys apart and forms them anew.
type forming struct {
	partition, row keys.Template
	// to are the templates of the design; it is nil for keys that stay as they are.
	to *[2]keys.Template
	// unmatched keys did not fit the pattern, or the design has no form for what they hold:
	// they stay as they are.
	unmatched int64
	first     error
	attribute map[string]string
}

func parse(what, text string) (keys.Template, error) {
	t, err := keys.ParseTemplate(text)
	if err != nil {
		return t, fmt.Errorf("%w: %s %s: %w", ErrKeys, what, text, err)
	}
	return t, nil
}

// newForming returns what forms the keys of a design from those of a pattern. A design
// without templates leaves them as they are.
func newForming(p Pattern, d Design) (*forming, error) {
	if d.PartitionKey == "" && d.RowKey == "" {
		return new(forming), nil
	}
	f := &forming{to: new([2]keys.Template), attribute: make(map[string]string)}
	var faults [4]error
	f.partition, faults[0] = parse("--partition-key", p.PartitionKey)
	f.row, faults[1] = parse("--row-key", p.RowKey)
	f.to[0], faults[2] = parse("the PartitionKey of "+d.Name, d.PartitionKey)
	f.to[1], faults[3] = parse("the RowKey of "+d.Name, d.RowKey)
	if err := errors.Join(faults[:]...); err != nil {
		return nil, err
	}
	known := append(f.partition.Attributes(), f.row.Attributes()...)
	for _, t := range f.to {
		for _, name := range t.Attributes() {
			if !slices.Contains(known, name) {
				return nil, fmt.Errorf("%w: design %s: %s of the pattern", ErrKeys, d.Name, nearest.Unknown("attribute", name, known))
			}
		}
	}
	return f, nil
}

// key returns the key of the design for one of the log.
func (f *forming) key(of entity.Key) entity.Key {
	if f.to == nil {
		return of
	}
	formed, err := f.form(of)
	if err != nil {
		if f.unmatched++; f.first == nil {
			f.first = err
		}
		return of
	}
	return formed
}

func (f *forming) form(of entity.Key) (entity.Key, error) {
	clear(f.attribute)
	for _, part := range []struct {
		by  *keys.Template
		key string
	}{{&f.partition, of.Partition}, {&f.row, of.Row}} {
		found, err := part.by.Decode(part.key)
		if err != nil {
			return of, err
		}
		for _, one := range found {
			if one.Whole {
				f.attribute[one.Attribute] = one.Value
			}
		}
	}
	var formed [2]string
	for i := range f.to {
		given := make(map[string]string)
		for _, name := range f.to[i].Attributes() {
			if value, some := f.attribute[name]; some {
				given[name] = value
			}
		}
		var err error
		if formed[i], err = f.to[i].Encode(given); err != nil {
			return of, err
		}
	}
	key := entity.Key{Partition: formed[0], Row: formed[1]}
	if code, detail := entity.ValidateKey(key); code != entity.OK {
		return of, fmt.Errorf("%w: %s", ErrKeys, detail)
	}
	return key, nil
}
