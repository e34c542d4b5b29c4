package workflow

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
)

var (
	sealProperty = optional("property", "The String property to encrypt in every entity.", OfProperty)
	sealResolver = optional("resolver", "Rules for what to encrypt, instead of property.", OfResolver)
	sealSealed   = truth("sealed", "Whether to encrypt; false stores plain text.", "true")
	sealVerb     = choice("verb", "The verb of the write.", "insert", "insert-or-replace")
	resealVerb   = choice("verb", "The verb of the write; merge writes the encrypted properties only, under another content key.", "replace", "merge")
)

// sealKinds are the workflows of client-side encryption: properties are stored such that only
// clients with the key can read them.
var sealKinds = []Kind{{
	Name: "seal-put", Says: "Inserts an entity with encrypted properties.",
	Inserts: true, Parameters: []Parameter{sealProperty, sealResolver, sealSealed, sealVerb}, Counters: []string{"added-bytes"},
	Serves: sealable, Check: newUnsealed,
	New: func(c *Call) *Procedure { return newSealed(c, c.Subject, entity.Match{}) },
}, {
	Name: "seal-replace", Says: "Replaces a loaded entity with an encrypted one.",
	Parameters: []Parameter{sealProperty, sealResolver, sealSealed, resealVerb}, Counters: []string{"added-bytes"},
	Serves: func(d *Design, a Arguments) []Lack { return append(sealable(d, a), needsLoad(d, a)...) },
	New:    func(c *Call) *Procedure { return newSealed(c, c.Member(c.K%c.Loaded), entity.MatchAny) },
	Check:  newUnsealed,
}, {
	// Without property and resolver the entity says what is encrypted: its content key decrypts that.
	Name: "seal-get", Says: "Reads an entity, decrypts it and compares the values.",
	Reads: true, Parameters: []Parameter{sealProperty, sealResolver}, Counters: []string{"opened", "broken", "clear", "missing", "plain"},
	Serves: func(d *Design, a Arguments) []Lack {
		if a.Text("property") == "" && a.Text("resolver") == "" {
			return nil
		}
		return sealable(d, a)
	},
	New: func(c *Call) *Procedure {
		r, key := resolverOf(c.Arguments), c.Subject.Key("")
		read := Read(c.Table, key)
		return NewProcedure(func(t *Tx) {
			stored := t.Send(read)
			if !stored.OK() {
				t.Add("missing", 1)
				return
			}
			// Of several sealed properties the worst counts.
			counters, worst, master := []string{"plain", "opened", "broken", "clear", "missing"}, 0, newMasterKey(c.Table)
			for _, plain := range c.Subject.Properties() {
				picked := r.Picks(key, plain.Name)
				if len(r) == 0 {
					_, picked = master.open(key, stored.Entity, plain.Name)
				}
				worst = max(worst, slices.Index(counters, master.check(key, stored.Entity, plain, picked)))
			}
			t.Add(counters[worst], 1)
		}, read)
	},
}}

// resolverOf returns which properties are sealed, nil if the arguments name none.
func resolverOf(a Arguments) Resolver {
	if property := a.Text("property"); property != "" {
		return Resolver{"*/*/" + property}
	}
	r, _ := parseResolver(a.Text("resolver"))
	return r
}

// sealable returns what keeps properties from being sealed: that one is no text, or that
// what it says stands in a key or in a property that is left as it is, too.
func sealable(d *Design, a Arguments) []Lack {
	parameter := "property"
	switch property, resolver := a.Text("property"), a.Text("resolver"); {
	case property == "" && resolver == "":
		return lackIf(true, "", "expected property or resolver")
	case property != "" && resolver != "":
		return lackIf(true, parameter, "property and resolver are mutually exclusive")
	case resolver != "":
		parameter = "resolver"
	}
	r := resolverOf(a)
	var names []string
	for _, one := range d.Properties {
		names = append(names, one.Name)
	}
	for _, rule := range r {
		if parameter == "resolver" && !slices.ContainsFunc(names, Resolver{rule}.Names) {
			return lackIf(true, parameter, "rule %s names no property; expected one of %s", rule, strings.Join(names, ", "))
		}
	}
	for _, one := range d.Properties {
		if says := unsealable(d, r, one); r.Names(one.Name) && says != "" {
			return []Lack{{parameter, says}}
		}
	}
	return nil
}

// unsealable returns why a property cannot be encrypted, empty if it can.
func unsealable(d *Design, r Resolver, one DesignProperty) string {
	if one.Type != entity.TypeString {
		return fmt.Sprintf("property %s is of type %v; expected String", one.Name, one.Type)
	}
	if one.Attribute == "" {
		return ""
	}
	if slices.Contains(d.Own.names(), one.Attribute) {
		return fmt.Sprintf("property %s is {%s}, which a key holds; expected a property in no key", one.Name, one.Attribute)
	}
	for _, other := range d.Properties {
		if other.Name != one.Name && other.Attribute == one.Attribute && !r.Names(other.Name) {
			return fmt.Sprintf("property %s is {%s}, as is %s, which stays plain; expected a unique property", one.Name, one.Attribute, other.Name)
		}
	}
	return ""
}

// newSealed returns the write of what an entity is stored as, which counts by how many bytes
// that is more than its own.
func newSealed(c *Call, about Subject, match entity.Match) *Procedure {
	verb, _ := entity.ParseVerb(c.Arguments.Text("verb"))
	change := entity.Change{Verb: verb, Match: match, Key: about.Key(""), Properties: about.Properties()}
	r := resolverOf(c.Arguments)
	if change.Verb == entity.Merge {
		change.Properties = slices.DeleteFunc(change.Properties, func(p entity.Property) bool { return !r.Picks(change.Key, p.Name) })
	}
	plain := entity.Size(change.Key, change.Properties)
	if draw := c.Chance; c.Arguments.Truth("sealed") {
		// An encrypted String becomes a Binary; two further properties hold the wrapped key.
		seal := func(by cipher.AEAD, text []byte, name string) entity.Property {
			nonce := drawn(&draw, 12)
			return entity.Property{Name: name, Value: entity.Binary(by.Seal(nonce, nonce, text, bound(change.Key, name)))}
		}
		content, some := drawn(&draw, 32), false
		for i, p := range change.Properties {
			if r.Picks(change.Key, p.Name) {
				change.Properties[i], some = seal(newCipher(content), []byte(p.Value.Text()), p.Name), true
			}
		}
		if some {
			change.Properties = append(change.Properties, seal(newMasterKey(c.Table).master, content, sealKey),
				entity.Property{Name: sealedBy, Value: entity.String(masterKey)})
		}
	}
	added := entity.Size(change.Key, change.Properties) - plain
	write := WriteOne(c.Table, change)
	return NewProcedure(func(t *Tx) {
		t.Send(write)
		t.Add("added-bytes", int64(added))
	}, write)
}

// check returns the fault of a property of an entity, empty for none.
func (e envelope) check(key entity.Key, stored entity.Packed, plain entity.Property, picked bool) string {
	value, some := stored.Lookup(plain.Name)
	switch {
	case !picked && some && value.Type() == plain.Value.Type():
		return ""
	case !picked:
		return "broken"
	case !some:
		return "missing"
	case value.Type() == entity.TypeString:
		return "clear"
	}
	if text, opens := e.open(key, stored, plain.Name); opens && text == plain.Value.Text() {
		return "opened"
	}
	return "broken"
}

// The further properties of an encrypted entity: its wrapped content key, and the name of the
// master key.
const (
	sealKey   = "SealKey"
	sealedBy  = "SealedBy"
	masterKey = "loadgen-1"
)

// envelope encrypts with a content key per entity, which the master key wraps and the entity
// stores. So a new master key needs no rewrite of the values.
//
// It is a model: the master key is the hash of a table's name, and content keys and nonces come
// from the run's seed, so that a run repeats to the byte. An application draws them from
// crypto/rand and protects its master key.
type envelope struct{ master cipher.AEAD }

func newMasterKey(table string) envelope {
	key := sha256.Sum256([]byte("the master key of " + table))
	return envelope{newCipher(key[:])}
}

// newCipher returns AES-256 in Galois counter mode under a key of 32 bytes.
func newCipher(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("workflow: AES cipher: " + err.Error())
	}
	sealer, err := cipher.NewGCM(block)
	if err != nil {
		panic("workflow: AES cipher: " + err.Error())
	}
	return sealer
}

// drawn returns random bytes.
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

// unseal opens one value: its nonce, and what was sealed.
func unseal(by cipher.AEAD, v entity.Value, bound []byte) ([]byte, bool) {
	if v.Type() != entity.TypeBinary || len(v.Bytes()) < by.NonceSize() {
		return nil, false
	}
	sealed := v.Bytes()
	plain, err := by.Open(nil, sealed[:by.NonceSize()], sealed[by.NonceSize():], bound)
	return plain, err == nil
}

// newUnsealed returns the check that encrypted properties are readable with the key only.
func newUnsealed(s *Setting, a Arguments) *Check {
	key, r, what := newMasterKey(s.Table), resolverOf(a), a.Text("property")
	if what == "" {
		what = a.Text("resolver")
	}
	return newCheck("nobody can read "+what+" without the key", func(t *Tx, f *Findings) {
		for row := range t.Rows(Query(s.Table, target.Query{})) {
			list, _ := row.Entity.Unpack(nil)
			for _, p := range list {
				if p.Name != sealKey && p.Name != sealedBy && r.Picks(row.Key, p.Name) {
					seeSealed(f, p.Name, key, row)
				}
			}
		}
	})
}

// shortestPlain is how many bytes a text has that is not found by chance among others:
// six, in a million entities of a kilobyte each, about once in 300,000 runs.
const shortestPlain = 6

// seeSealed examines an entity without the key: its keys, and the bytes of its properties.
func seeSealed(f *Findings, property string, by envelope, row target.Row) {
	plain, opens := by.open(row.Key, row.Entity, property)
	raw := append(bound(row.Key, ""), row.Entity...)
	fault := ""
	switch value, _ := row.Entity.Lookup(property); {
	case value.Type() == entity.TypeString:
		fault = "is not encrypted"
	case !opens:
		fault = "does not decrypt"
	case len(plain) >= shortestPlain && bytes.Contains(raw, []byte(plain)):
		fault = "is readable without the key"
	}
	f.Look(fault == "", "%s of (%s, %s) %s", property, row.Key.Partition, row.Key.Row, fault)
}

// Resolver selects properties of entities by PartitionKey, RowKey and name, as in the documents'
// client-side encryption.
type Resolver []string

// parseResolver reads rules, with commas between them: each is PARTITION/ROW/PROPERTY, where
// * stands for any text and ? for any character. No key has a slash. One rule is enough to
// pick a property.
func parseResolver(text string) (Resolver, error) {
	var r Resolver
	for _, rule := range strings.Split(text, ",") {
		rule = strings.TrimSpace(rule)
		if _, err := path.Match(rule, ""); err != nil || strings.Count(rule, "/") != 2 || strings.HasSuffix(rule, "/") {
			return nil, fmt.Errorf("%q is no rule", rule)
		}
		r = append(r, rule)
	}
	return r, nil
}

// Picks reports whether a rule is of the property of an entity.
func (r Resolver) Picks(key entity.Key, property string) bool {
	return slices.ContainsFunc(r, func(rule string) bool {
		picked, _ := path.Match(rule, key.Partition+"/"+key.Row+"/"+property)
		return picked
	})
}

// Names reports whether a rule is of a property of that name, in whatever entities.
func (r Resolver) Names(property string) bool {
	return slices.ContainsFunc(r, func(rule string) bool {
		picked, _ := path.Match(path.Base(rule), property)
		return picked
	})
}
