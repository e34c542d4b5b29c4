package procedure

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
)

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

// newMasterKey returns the envelope of a table.
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
	panic("procedure: no cipher of 32 bytes: " + err.Error())
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

// unsealed is the check that nobody can read a property without the key, and everybody
// with it can.
type unsealed struct {
	*finding
	property string
}

func newUnsealed(s *Setting, property string) *finding {
	key := newMasterKey(s.Table)
	return newFinding("nobody can read "+property+" without the key", func(f *finding) Request {
		u := unsealed{f, property}
		return ReadAll(s.Table, target.Query{}, func(row target.Row) { u.see(key, row) }, End)
	})
}

// shortestPlain is how many bytes a text has that is not found by chance among others:
// six, in a million entities of a kilobyte each, about once in 300,000 runs.
const shortestPlain = 6

// see looks at one entity as whoever has no key sees it: at its keys, and the bytes of
// its properties.
func (u *unsealed) see(by envelope, row target.Row) {
	value, some := row.Entity.Lookup(u.property)
	if !some {
		return
	}
	u.findings.Looked++
	fault := func(what string) {
		u.findings.Fault(fmt.Sprintf("%s of (%s, %s) %s", u.property, row.Key.Partition, row.Key.Row, what))
	}
	if value.Type() == entity.TypeString {
		fault("is stored as it is")
		return
	}
	plain, opens := by.open(row.Key, row.Entity, u.property)
	raw := append(bound(row.Key, ""), row.Entity...)
	switch {
	case !opens:
		fault("cannot be opened by the key")
	case len(plain) >= shortestPlain && bytes.Contains(raw, []byte(plain)):
		fault("can be read without the key")
	}
}
