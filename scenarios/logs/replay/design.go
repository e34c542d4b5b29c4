package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/keys"
)

// ErrKeys is wrapped by errors about patterns and designs.
var ErrKeys = errors.New("replay: impossible keys")

// Pattern says how the keys of a log were formed: templates that are read backwards.
type Pattern struct {
	PartitionKey string `flag:"partition-key"`
	RowKey       string `flag:"row-key"`
}

// Design forms new keys from the attributes that a pattern finds.
type Design struct{ Name, PartitionKey, RowKey string }

// forming parses keys and forms new ones.
type forming struct {
	partition, row keys.Template
	// to are the templates of the design; it is nil for keys that stay as they are.
	to *[2]keys.Template
	// unmatched keys did not fit the pattern, or the design has no form for what they hold:
	// they stay as they are.
	unmatched int64
	first     error
	attribute map[string]string
	// plans are those of queries by the attributes that they know, as is the generator that
	// makes them; it is nil where the design cannot be asked by its attributes.
	queries *asking
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
	known := f.attributes()
	for _, t := range f.to {
		for _, name := range t.Attributes() {
			if !slices.Contains(known, name) {
				return nil, fmt.Errorf("%w: design %s: %s of the pattern", ErrKeys, d.Name, nearest.Unknown("attribute", name, known))
			}
		}
	}
	return f, nil
}

// attributes are those of the pattern.
func (f *forming) attributes() []string {
	names := f.partition.Attributes()
	for _, name := range f.row.Attributes() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (f *forming) unmatchedBy(err error) {
	if f.unmatched++; f.first == nil {
		f.first = err
	}
}

// keyFor returns the key of the design for one of the log, which it keeps where it has none.
func (f *forming) keyFor(key entity.Key) (entity.Key, error) {
	if f.to == nil {
		return key, nil
	}
	if err := f.parseKeys(key.Partition, &key.Row); err != nil {
		return key, err
	}
	var formed [2]string
	for i := range f.to {
		var err error
		if formed[i], err = f.to[i].Encode(f.knownAttributes(&f.to[i])); err != nil {
			return key, err
		}
	}
	other := entity.Key{Partition: formed[0], Row: formed[1]}
	if code, detail := entity.ValidateKey(other); code != entity.OK {
		return key, fmt.Errorf("%w: %s", ErrKeys, detail)
	}
	return other, nil
}

// knownAttributes are the attributes of a template that are known.
func (f *forming) knownAttributes(t *keys.Template) map[string]string {
	given := make(map[string]string)
	for _, name := range t.Attributes() {
		if value, some := f.attribute[name]; some {
			given[name] = value
		}
	}
	return given
}

// parseKeys parses a PartitionKey, and the RowKey if there is one.
func (f *forming) parseKeys(partition string, row *string) error {
	clear(f.attribute)
	if err := f.read(&f.partition, partition); err != nil || row == nil {
		return err
	}
	return f.read(&f.row, *row)
}

func (f *forming) read(by *keys.Template, key string) error {
	found, err := by.Decode(key)
	for _, one := range found {
		if one.Whole {
			f.attribute[one.Attribute] = one.Value
		}
	}
	return err
}

// readBeginning parses the beginning of a key as far as possible: up to a literal behind
// the last attribute that is there as a whole.
func (f *forming) readBeginning(by *keys.Template, key string) {
	pieces := by.Pieces()
	for n := len(pieces) - 1; n > 0; n-- {
		if pieces[n].Literal == "" {
			continue
		}
		beginning, err := keys.ParseTemplate(by.String()[:pieces[n].Offset+len(pieces[n].Literal)])
		if err != nil {
			continue
		}
		for end := len(key); end > 0; end-- {
			if strings.HasSuffix(key[:end], pieces[n].Literal) && f.read(&beginning, key[:end]) == nil {
				return
			}
		}
	}
}
