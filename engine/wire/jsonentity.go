package wire

import (
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
)

// jsonEntity is an entity as its JSON object spells it, before the values have
// their types: an annotation may come after the value that it is about. It is
// reused from object to object.
type jsonEntity struct {
	members []jsonMember
	// names has a bit for each hash of a name among members: nearly always
	// enough to tell that a name is new.
	names uint64
	// etag and timestamp are what a reply says of the version; the etag is the
	// inside of its JSON string, escapes and all.
	etag, timestamp string
	// isError says that the object holds an odata.error: that is no entity.
	isError bool
	// room is scratch memory for binaries.
	room []byte
	// code and detail are the fault of valid JSON.
	code   entity.Code
	detail string
}

// jsonMember is a property, a key included.
type jsonMember struct {
	name string
	// kind is zero while only the annotation has been seen.
	kind jsonKind
	// edm is the annotated type, zero for none.
	edm  entity.Type
	text string
}

// maxJSONMembers is the maximum number of names of an entity. It is above the limit on properties, since nulls and
// annotations without a property do not count.
const maxJSONMembers = 2 * entity.MaxProperties

const (
	jsonPartitionKey = "PartitionKey"
	jsonRowKey       = "RowKey"
	jsonTimestamp    = "Timestamp"
	jsonSystemPrefix = "odata."
	jsonTypeSuffix   = "@odata.type"
	jsonTypePrefix   = "Edm."
)

// parse reads a text that is one object. The code is OK, or that of the fault with one line of detail.
func (e *jsonEntity) parse(text string) (entity.Code, string) {
	if len(text) > maxJSONText {
		return entity.RequestBodyTooLarge, "body exceeds " + strconv.Itoa(maxJSONText) + " bytes"
	}
	s := jsonScanner{text: text}
	switch {
	case e.read(&s) && s.end():
		return entity.OK, ""
	case s.fault != "":
		return entity.InvalidInput, s.detail()
	default:
		return e.code, e.detail
	}
}

// read reads the object at which s stands. It reports whether all is well so
// far; else either s has a fault or e a code.
func (e *jsonEntity) read(s *jsonScanner) bool {
	e.members, e.names = e.members[:0], 0
	e.etag, e.timestamp, e.isError = "", "", false
	e.code, e.detail = entity.OK, ""
	if !s.open('{') {
		return false
	}
	for first := true; ; first = false {
		if !s.more(first, '}') {
			return s.fault == ""
		}
		name, ok := s.name()
		if !ok || !e.readMember(s, name) {
			return false
		}
	}
}

func (e *jsonEntity) readMember(s *jsonScanner, name string) bool {
	if strings.IndexByte(name, '@') >= 0 {
		if of, annotated := strings.CutSuffix(name, jsonTypeSuffix); annotated {
			return e.readAnnotation(s, of)
		}
		if strings.Contains(name, "@"+jsonSystemPrefix) {
			return s.skip()
		}
	}
	if strings.HasPrefix(name, jsonSystemPrefix) {
		return e.readSystem(s, name)
	}
	if name == jsonTimestamp {
		if s.peek() != '"' {
			return s.skip()
		}
		text, ok := s.str()
		e.timestamp = text
		return ok
	}
	kind, text, ok := s.scalar()
	if !ok {
		return false
	}
	if kind == jsonNested {
		return e.refuse(entity.InvalidInput, name, "is no scalar")
	}
	m := e.member(name)
	if m == nil {
		return false
	}
	if m.kind != 0 {
		return e.refuse(entity.DuplicateProperties, name, "is given twice")
	}
	m.kind, m.text = kind, text
	return true
}

// readAnnotation reads the type of the property of that name. Where it never
// comes, the annotation means nothing: clients leave one behind whose value they
// found to be null.
func (e *jsonEntity) readAnnotation(s *jsonScanner, name string) bool {
	kind, text, ok := s.scalar()
	if !ok {
		return false
	}
	if name == "" || name == jsonTimestamp {
		return kind != jsonNested || s.skip()
	}
	full := kind == jsonString && strings.HasPrefix(text, jsonTypePrefix)
	edm, known := entity.ParseType(text)
	if !full || !known {
		return e.refuse(entity.InvalidInput, name, "has an invalid annotation")
	}
	m := e.member(name)
	if m == nil {
		return false
	}
	if m.edm != 0 {
		return e.refuse(entity.DuplicateProperties, name, "has two annotations")
	}
	m.edm = edm
	return true
}

// readSystem passes over what a service says of itself; of a request it means
// nothing.
func (e *jsonEntity) readSystem(s *jsonScanner, name string) bool {
	e.isError = e.isError || name == errorMember
	if name != "odata.etag" || s.peek() != '"' {
		return s.skip()
	}
	var ok bool
	e.etag, _, ok = s.quoted()
	return ok
}

// member returns the member of that name, which may be a new one, or nil where
// there are too many. The last one is looked at first, if it is an annotation:
// its value is its neighbour as a rule.
func (e *jsonEntity) member(name string) *jsonMember {
	n := len(e.members)
	if n > 0 && e.members[n-1].kind == 0 && e.members[n-1].name == name {
		return &e.members[n-1]
	}
	bit := uint64(1)
	if last := len(name) - 1; last >= 0 {
		hash := uint(last)*7 ^ uint(name[0]) ^ uint(name[last])*5 ^ uint(name[uint(last)/2])*11
		bit = 1 << (hash & 63)
	}
	if e.names&bit != 0 {
		for i := range e.members {
			if e.members[i].name == name {
				return &e.members[i]
			}
		}
	}
	if n == maxJSONMembers {
		e.refuse(entity.TooManyProperties, name, "exceeds the limit")
		return nil
	}
	e.names |= bit
	if n == cap(e.members) {
		e.members = slices.Grow(e.members, n+1)
	}
	e.members = e.members[:n+1]
	m := &e.members[n]
	*m = jsonMember{name: name}
	return m
}

func (e *jsonEntity) refuse(code entity.Code, name, what string) bool {
	e.code, e.detail = code, "the property "+jsonBrief(name)+" "+what
	return false
}

// resolve gives the members their types: the keys go to k, all others but nulls
// are appended to properties.
func (e *jsonEntity) resolve(k *jsonKey, properties []entity.Property) ([]entity.Property, bool) {
	properties = slices.Grow(properties, len(e.members))
	for i := range e.members {
		m := &e.members[i]
		if m.kind == 0 || m.kind == jsonNull {
			continue
		}
		switch m.name {
		case jsonPartitionKey:
			k.Partition, k.hasPartition = m.text, true
		case jsonRowKey:
			k.Row, k.hasRow = m.text, true
		default:
			if m.edm == 0 && m.kind == jsonString {
				properties = append(properties, entity.Property{Name: m.name, Value: entity.String(m.text)})
				continue
			}
			value, code, what := e.value(m)
			if code != entity.OK {
				return properties, e.refuse(code, m.name, what)
			}
			properties = append(properties, entity.Property{Name: m.name, Value: value})
			continue
		}
		if m.kind != jsonString || m.edm != 0 && m.edm != entity.TypeString {
			return properties, e.refuse(entity.InvalidInput, m.name, "is no string")
		}
	}
	return properties, true
}

// jsonKey is a key with optional parts.
type jsonKey struct {
	entity.Key
	hasPartition, hasRow bool
}
