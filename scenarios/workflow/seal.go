package workflow

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios/workflow/machine"
	"loadgen/target"
)

// sealKinds returns the workflows of client-side encryption: one property of an entity
// is stored such that whoever has no key cannot read it.
func sealKinds() []machine.Kind {
	property := machine.Parameter{Name: "property", Says: "The property that is sealed: a String that nothing else of the entity tells.",
		Type: machine.OfProperty, Required: true}
	sealed := machine.Parameter{Name: "sealed", Says: "Whether it is sealed; false stores and expects it as it is.", Type: machine.OfTruth, Default: "true"}
	verb := machine.Parameter{Name: "verb", Says: "How the entity is written; a merge is refused.",
		Type: machine.OfChoice, Choices: []string{"insert", "insert-or-replace", "merge"}, Default: "insert"}
	check := func(s *machine.Setting, a machine.Arguments) machine.Check { return newUnsealed(s, a.Text("property")) }
	return []machine.Kind{{
		Name: "seal-put", Says: "Writes a new entity with one property sealed by a content key of its own.",
		Inserts: true, Parameters: []machine.Parameter{property, sealed, verb}, Counters: []string{"added-bytes"},
		Serves: func(d *machine.Design, a machine.Arguments) []machine.Lack {
			return append(sealable(d, a), unmerged(a)...)
		},
		New: func(c *machine.Call) machine.Workflow { return newSealPut(c) }, Check: check,
	}, {
		Name: "seal-replace", Says: "Replaces a loaded entity, that of the operation's number, by one with the property sealed.",
		Parameters: []machine.Parameter{property, sealed}, Counters: []string{"added-bytes"},
		Serves: func(d *machine.Design, a machine.Arguments) []machine.Lack {
			if lacks := sealable(d, a); d.Loaded || len(lacks) > 0 {
				return lacks
			}
			return []machine.Lack{{Says: "it replaces entities that were loaded, and nothing is loaded before; expected a load first"}}
		},
		New: func(c *machine.Call) machine.Workflow { return newSealReplace(c) }, Check: check,
	}, {
		Name: "seal-get", Says: "Reads an entity, opens its sealed property, and compares it with what was written.",
		Reads: true, Parameters: []machine.Parameter{property}, Counters: []string{"opened", "broken", "clear", "missing"},
		Serves: sealable,
		New:    func(c *machine.Call) machine.Workflow { return newSealGet(c) },
	}}
}

// sealable returns what keeps a property from being sealed: that it is no text, or that
// what it says stands in a key or in another property, too.
func sealable(d *machine.Design, a machine.Arguments) []machine.Lack {
	lack := func(format string, values ...any) []machine.Lack {
		return []machine.Lack{{Parameter: "property", Says: fmt.Sprintf(format, values...)}}
	}
	i := slices.IndexFunc(d.Properties, func(p machine.DesignProperty) bool { return p.Name == a.Text("property") })
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
func unmerged(a machine.Arguments) []machine.Lack {
	if a.Text("verb") != "merge" {
		return nil
	}
	return []machine.Lack{{Parameter: "verb", Says: "a merge would replace the content key and leave what was sealed by it behind; " +
		"expected insert or insert-or-replace"}}
}

// newSealed returns the write of what an entity is stored as, which counts by how many bytes
// that is more than its own.
func newSealed(c *machine.Call, about machine.Subject, change entity.Change) *machine.Script {
	change.Key, change.Properties = about.Key(""), about.Properties()
	plain := entity.Size(change.Key, change.Properties)
	if draw := c.Chance; c.Arguments.Truth("sealed") {
		change.Properties = newMasterKey(c.Table).seal(&draw, change.Key, change.Properties, c.Arguments.Text("property"))
	}
	added := entity.Size(change.Key, change.Properties) - plain
	return machine.NewScript(func(s *machine.Script) machine.Request {
		return machine.WriteOne(c.Table, change, target.Expected{}, func(machine.Attempt) machine.Turn {
			return s.EndWith("added-bytes", int64(added))
		})
	})
}

func newSealPut(c *machine.Call) *machine.Script {
	verb := entity.Insert
	if c.Arguments.Text("verb") == "insert-or-replace" {
		verb = entity.InsertOrReplace
	}
	return newSealed(c, c.Subject, entity.Change{Verb: verb})
}

// newSealReplace returns the replacement of a loaded entity by its sealed form. It is
// written whole, so that a second time is the same.
func newSealReplace(c *machine.Call) *machine.Script {
	return newSealed(c, c.Member(c.K%c.Loaded), entity.Change{Verb: entity.Replace, Match: entity.MatchAny})
}

// newSealGet returns a read that opens what it has read.
func newSealGet(c *machine.Call) *machine.Script {
	name, key := c.Arguments.Text("property"), c.Subject.Key("")
	return machine.NewScript(func(s *machine.Script) machine.Request {
		return machine.Read(c.Table, key, func(a machine.Attempt) machine.Turn {
			plain, _ := machine.Lookup(c.Subject.Properties(), name)
			stored, some := a.Outcome.Entity.Lookup(name)
			switch {
			case a.Outcome.Status == 404 || !some:
				return s.EndWith("missing", 1)
			case stored.Type() == entity.TypeString:
				return s.EndWith("clear", 1)
			case newMasterKey(c.Table).opens(key, a.Outcome.Entity, name, plain.Text()):
				return s.EndWith("opened", 1)
			}
			return s.EndWith("broken", 1)
		})
	})
}

// The properties that a sealed entity has beside its own: its content key, which only the
// master key opens, and the name of that master key.
const (
	sealKey   = "SealKey"
	sealedBy  = "SealedBy"
	masterKey = "loadgen-1"
)

// envelope seals by a key of its own for each entity, the content key, which is itself
// sealed by the master key and lies beside what it has sealed: so a master key is
// exchanged without writing all entities anew.
//
// What it is good for ends here: the master key is the hash of a table's name, and content
// keys and nonces are drawn from the run's chance, so that a run repeats to the byte. An
// application draws them from crypto/rand and keeps its master key where nobody reads it.
type envelope struct{ master cipher.AEAD }

func newMasterKey(table string) envelope {
	key := sha256.Sum256([]byte("the master key of " + table))
	return envelope{newCipher(key[:])}
}

// newCipher returns AES-256 in Galois counter mode under a key of 32 bytes.
func newCipher(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err == nil {
		var sealer cipher.AEAD
		if sealer, err = cipher.NewGCM(block); err == nil {
			return sealer
		}
	}
	panic("workflow: no cipher of 32 bytes: " + err.Error())
}

// drawn returns so many bytes of chance.
func drawn(draw *clock.Draw, count int) []byte {
	bytes := make([]byte, 0, count+8)
	for len(bytes) < count {
		bytes = binary.LittleEndian.AppendUint64(bytes, draw.Uint64())
	}
	return bytes[:count]
}

// bound is what a sealed property is bound to, so that it opens nowhere else. No key
// holds a NUL.
func bound(key entity.Key, name string) []byte {
	return []byte(key.Partition + "\x00" + key.Row + "\x00" + name)
}

// seal returns properties with that of a name sealed, a String before and a Binary after,
// and what it takes to open it. The slice is the caller's.
func (e envelope) seal(draw *clock.Draw, key entity.Key, properties []entity.Property, name string) []entity.Property {
	content := drawn(draw, 32)
	sealed := make([]entity.Property, 0, len(properties)+2)
	for _, p := range properties {
		if p.Name == name {
			nonce := drawn(draw, 12)
			p.Value = entity.Binary(newCipher(content).Seal(nonce, nonce, []byte(p.Value.Text()), bound(key, name)))
		}
		sealed = append(sealed, p)
	}
	nonce := drawn(draw, 12)
	wrapped := e.master.Seal(nonce, nonce, content, bound(key, sealKey))
	return append(sealed, entity.Property{Name: sealKey, Value: entity.Binary(wrapped)},
		entity.Property{Name: sealedBy, Value: entity.String(masterKey)})
}

// open returns what a sealed property says, and false where it is none, was altered, or
// was sealed for another entity.
func (e envelope) open(key entity.Key, stored entity.Packed, name string) (string, bool) {
	wrapped, _ := stored.Lookup(sealKey)
	value, _ := stored.Lookup(name)
	content, opens := unseal(e.master, wrapped, bound(key, sealKey))
	if !opens || len(content) != 32 {
		return "", false
	}
	plain, opens := unseal(newCipher(content), value, bound(key, name))
	return string(plain), opens
}

// opens reports whether a sealed property says what it should.
func (e envelope) opens(key entity.Key, stored entity.Packed, name, want string) bool {
	got, opens := e.open(key, stored, name)
	return opens && got == want
}

// unseal opens one value: its nonce, and what was sealed.
func unseal(by cipher.AEAD, v entity.Value, bound []byte) ([]byte, bool) {
	if v.Type() != entity.TypeBinary || len(v.Bytes()) < by.NonceSize() {
		return nil, false
	}
	sealed := v.Bytes()
	plain, err := by.Open(nil, sealed[:by.NonceSize()], sealed[by.NonceSize():], bound)
	return plain, err == nil
}

// newUnsealed returns the check that nobody can read a property without the key, and everybody
// with it can.
func newUnsealed(s *machine.Setting, property string) *machine.Finding {
	key := newMasterKey(s.Table)
	return machine.NewFinding("nobody can read "+property+" without the key", func(f *machine.Finding) machine.Request {
		see := func(row target.Row) { seeSealed(f, property, key, row) }
		return machine.ReadAll(s.Table, target.Query{}, see, machine.End)
	})
}

// shortestPlain is how many bytes a text has that is not found by chance among others:
// six, in a million entities of a kilobyte each, about once in 300,000 runs.
const shortestPlain = 6

// seeSealed looks at one entity as whoever has no key sees it: at its keys, and the bytes of
// its properties.
func seeSealed(f *machine.Finding, property string, by envelope, row target.Row) {
	value, some := row.Entity.Lookup(property)
	if !some {
		return
	}
	f.Found.Looked++
	fault := func(what string) {
		f.Found.Fault(fmt.Sprintf("%s of (%s, %s) %s", property, row.Key.Partition, row.Key.Row, what))
	}
	if value.Type() == entity.TypeString {
		fault("is stored as it is")
		return
	}
	plain, opens := by.open(row.Key, row.Entity, property)
	raw := append(bound(row.Key, ""), row.Entity...)
	switch {
	case !opens:
		fault("cannot be opened by the key")
	case len(plain) >= shortestPlain && bytes.Contains(raw, []byte(plain)):
		fault("can be read without the key")
	}
}
